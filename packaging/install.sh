#!/bin/sh
# Puts the program, its manual pages and shells' completions below a prefix:
#   packaging/install.sh PROGRAM PREFIX
set -eu

[ $# -eq 2 ] || { echo "install.sh: found $# arguments, expected PROGRAM PREFIX" >&2; exit 2; }
program=$1
prefix=$2
[ -x "$program" ] || { echo "install.sh: $program: found no program, expected that of make build" >&2; exit 2; }

bash=share/bash-completion/completions
zsh=share/zsh/site-functions
fish=share/fish/vendor_completions.d

umask 022
mkdir -p "$prefix/bin" "$prefix/$bash" "$prefix/$zsh" "$prefix/$fish"
install -m 755 "$program" "$prefix/bin/firmament"
"$program" man "$prefix/share/man/man1"
"$program" completions bash >"$prefix/$bash/firmament"
"$program" completions zsh >"$prefix/$zsh/_firmament"
"$program" completions fish >"$prefix/$fish/firmament.fish"
