//! Variables in values: `${NAME}` of the environment, and fio's `$pagesize`.

use super::arithmetic;
use super::error::{JobError, Place};

/// fio's keywords of which the machine decides the value.
const MACHINE: [&str; 2] = ["$ncpus", "$mb_memory"];

/// Bytes of a page of the simulated host.
const PAGE_BYTES: &str = "4096";

/// Puts the values of the environment's variables in the place of each `${NAME}` in the options of a
/// job file, and those of the machine in the place of `$ncpus` and `$mb_memory`, so that the text alone
/// says what runs. `lookup` gives the value of a variable, or of a keyword with its `$`. As in fio,
/// names of sections and comments are left as they are.
///
/// # Errors
/// A line and what is wrong with it: a variable that is not set, which fio refuses too, or one whose
/// value would not stay within its option.
pub fn expand(
    file: &str,
    text: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, JobError> {
    let mut expanded = String::with_capacity(text.len());
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let comment = line.find([';', '#']).unwrap_or(line.len());
        let (option, rest) = line.split_at(comment);
        let place = || Place::Line { file: file.into(), line: number };
        match option.split_once('=') {
            Some((key, value)) if value.contains('$') => {
                let value = substitute(value, &lookup).map_err(|(found, expected)| {
                    JobError::Value { place: place(), key: key.trim().to_string(), found, expected }
                })?;
                expanded.extend([key, "=", &value]);
            }
            _ => expanded.push_str(option),
        }
        expanded.push_str(rest);
    }
    Ok(expanded)
}

/// The same for options given in place of a job file.
///
/// # Errors
/// As those of [`expand`].
pub fn expand_pairs(
    pairs: &mut [(String, String)],
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<(), JobError> {
    for (key, value) in pairs {
        *value = substitute(value, &lookup).map_err(|(found, expected)| {
            let (place, key) = (Place::CommandLine, key.clone());
            JobError::Value { place, key, found, expected }
        })?;
    }
    Ok(())
}

/// The value with its variables replaced, or what was found and what is expected.
fn substitute(
    value: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, (String, String)> {
    let mut told = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let wrong = |expected: String| (value.trim().to_string(), expected);
        let (name, after) =
            after.split_once('}').ok_or_else(|| wrong("a variable such as ${SIZE}".to_string()))?;
        let found = lookup(name).filter(|found| !found.is_empty());
        let found = found.ok_or_else(|| wrong(format!("{name} to be set in the environment")))?;
        if found.contains(|c: char| c.is_control() || c == ';' || c == '#') {
            return Err(wrong(format!("a value of {name} of one line without ; or #")));
        }
        told.push_str(before);
        told.push_str(&found);
        rest = after;
    }
    told.push_str(rest);
    match MACHINE.iter().any(|keyword| told.contains(keyword)) {
        true => machine(&told, lookup),
        false => Ok(told),
    }
}

/// Replaces fio's keywords for the machine. A run does not depend on the machine, so only the page size
/// has a value, that of the simulated host; as in fio it may be multiplied.
///
/// # Errors
/// What is expected in place of the others.
pub(super) fn keywords(value: &str) -> Result<String, String> {
    if value.contains("$mb_memory") || value.contains("$ncpus") {
        return Err(
            "a number: memory and processors of the machine are known to job files and the command \
             line only"
                .to_string()
        );
    }
    if !value.contains("$pagesize") {
        return Ok(value.to_string());
    }
    let sum = arithmetic::evaluate(&value.replace("$pagesize", PAGE_BYTES));
    sum.map(|bytes| bytes.to_string()).ok_or_else(|| "$pagesize or 2*$pagesize".to_string())
}

/// Replaces fio's keywords for the machine by what `lookup` says of it, and does the sums that fio has
/// a calculator do.
fn machine(
    value: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, (String, String)> {
    let mut told = value.replace("$pagesize", PAGE_BYTES);
    for keyword in MACHINE.into_iter().filter(|keyword| value.contains(keyword)) {
        let wrong = || (value.trim().to_string(), format!("a number: {keyword} is not known here"));
        told = told.replace(keyword, &lookup(keyword).ok_or_else(wrong)?);
    }
    // What stands behind the sum, such as the end of the line, stays.
    let sum = told.trim_end();
    let behind = &told[sum.len()..];
    let sum = arithmetic::evaluate(sum).map(|number| format!("{number}{behind}"));
    sum.ok_or_else(|| (value.trim().to_string(), "a sum such as $ncpus or 2*$ncpus".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        let known =
            [("SIZE", "64m"), ("A", "6"), ("B", "4k"), ("NONE", ""), ("TWO", "1\nrw=write")];
        known.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
    }

    #[test]
    fn sums_of_the_machine_are_done_where_its_values_are_known() {
        let text = "[a]\nnumjobs=$ncpus*2\nsize=($mb_memory/4+1)*1024 ; half\nbs=$pagesize\n";
        let expected = "[a]\nnumjobs=16\nsize=263168 ; half\nbs=$pagesize\n";
        let of_machine = |name: &str| match name {
            "$ncpus" => Some("8".to_string()),
            "$mb_memory" => Some("1024".to_string()),
            _ => None,
        };
        assert_eq!(expand("job.fio", text, of_machine).unwrap(), expected);
        let error = expand("job.fio", text, environment).unwrap_err();
        let told =
            "job.fio:2: numjobs: found \"$ncpus*2\", expected a number: $ncpus is not known here";
        assert_eq!(error.to_string(), told);
    }

    #[test]
    fn values_take_variables_and_nothing_else_does() {
        let text =
            "[a${A}] ; ${A}\nsize=${SIZE} # ${B}\r\nbs=${A}${B}\n# x=${A}\ntime_based\nname=$A";
        let expected = "[a${A}] ; ${A}\nsize=64m # ${B}\r\nbs=64k\n# x=${A}\ntime_based\nname=$A";
        assert_eq!(expand("job.fio", text, environment).unwrap(), expected);
        let mut pairs = [("size".to_string(), "${SIZE}".to_string())];
        expand_pairs(&mut pairs, environment).unwrap();
        assert_eq!(pairs[0].1, "64m");
    }

    #[test]
    fn what_cannot_be_replaced_is_named() {
        let rows = [
            ("size=${NOPE}", "job.fio:2: size: found \"${NOPE}\", expected NOPE to be set in the environment"),
            ("size=${NONE}", "job.fio:2: size: found \"${NONE}\", expected NONE to be set in the environment"),
            ("size=${SIZE", "job.fio:2: size: found \"${SIZE\", expected a variable such as ${SIZE}"),
            ("size=${TWO}", "job.fio:2: size: found \"${TWO}\", expected a value of TWO of one line without ; or #"),
        ];
        for (line, message) in rows {
            let error = expand("job.fio", &format!("[a]\n{line}\n"), environment).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn the_page_size_is_the_only_keyword_with_a_value() {
        assert_eq!(keywords("$pagesize").unwrap(), "4096");
        assert_eq!(keywords("8*$pagesize").unwrap(), "32768");
        assert_eq!(keywords("$pagesize+1").unwrap(), "4097");
        assert_eq!(keywords("4k").unwrap(), "4k");
        for wrong in ["$mb_memory", "2*$ncpus", "$pagesizex", "$pagesize+"] {
            assert!(keywords(wrong).is_err(), "{wrong}");
        }
    }
}
