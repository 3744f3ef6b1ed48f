#!/usr/bin/env bash
# A first hour on a terminal of 80 by 24, from an empty directory on a fresh lab: prints each screen, and fails where a
# command failed or a line was cut. Needs tmux. Usage: scripts/terminal-session.sh [COMMAND…], default: this build's oxherd.
# From the package: npm pack, `npm install ../oxherd-*.tgz` in an empty directory, then with node_modules/.bin/oxherd of it; on another
# Node: `npm install node@22` beside it, then with its node and node_modules/oxherd/dist/bin/oxherd.js.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
command=("$@")
[ $# -gt 0 ] || command=(node "$root/dist/bin/oxherd.js")
folder=$(mktemp -d)
pane=oxherd-$$
mkdir "$folder/bin" "$folder/work"
printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "${command[@]}")" >"$folder/bin/oxherd"
chmod +x "$folder/bin/oxherd"
trap 'tmux -L "$pane" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
tmux -L "$pane" -f /dev/null new-session -d -x 80 -y 24 -s "$pane" \
  "cd '$folder/work' && PS1='\$ ' PATH='$folder/bin:$PATH' bash --norc --noprofile"

screen() { tmux -L "$pane" capture-pane -p -t "$pane"; }
failed=0

# run COMMAND [KEY]: types it, presses KEY every second until it has ended, and shows what is on the screen then.
run() {
  tmux -L "$pane" send-keys -t "$pane" "clear; $1; echo \"[exit \$?]\"" Enter
  for _ in $(seq 240); do
    sleep 1
    screen | grep -q '^\[exit [0-9]*\]' && break
    [ $# -lt 2 ] || tmux -L "$pane" send-keys -t "$pane" "$2"
  done
  printf '%s\n=== %s\n' "$(printf '%.0s=' {1..80})" "$1"
  screen | sed 's/[[:space:]]*$//' | sed '/^$/d'
  screen | grep -q '^\[exit 0\]' || { echo "*** it did not end with 0"; failed=1; }
}

run 'oxherd --lab init' Enter
run 'oxherd --lab doctor'
run 'oxherd --lab plan'
run 'oxherd --lab apply --yes'
run 'oxherd --lab status'
run 'oxherd --lab plan'
run 'oxherd --lab upgrade --talos v1.14.2 --write --yes'
run 'oxherd --lab destroy --yes'
run 'oxherd --lab destroy --yes'
exit $failed
