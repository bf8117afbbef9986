//! The program as its users meet it: arguments in, text and exit codes out.

mod bad_input;
mod boards;
mod commit;
mod compare;
mod damaged_reports;
mod enough;
mod extending;
mod files;
mod fio_jobs;
mod fit;
mod help;
mod hostile;
mod image;
mod installed;
#[cfg(target_os = "linux")]
mod interrupted;
mod jobs;
mod logs;
mod monitor;
mod new_policy;
mod open_channel;
mod page;
mod program;
mod reference;
mod replay;
mod replay_files;
mod reports;
mod requests;
mod rerun;
mod schema;
#[cfg(target_os = "linux")]
mod serve;
mod snapshot;
mod study;
mod sweep;
mod timeline;
#[cfg(unix)]
mod tutorials;
