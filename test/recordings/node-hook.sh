#!/bin/sh
# The replay calls it as: node-hook.sh STATE statd|host|expected WORD [NODE]
case "$2 $3" in
  "statd stop") fault="statd-down=$4" switch=on ;;
  "statd start") fault="statd-down=$4" switch=off ;;
  "host down") fault="host-down=$4" switch=on ;;
  "host up") fault="host-down=$4" switch=off ;;
  "expected 1") fault=expected-one switch=on ;;
  *) exit 2 ;;
esac
exec node --import tsx src/cli/main.ts lab fault "$fault" "$switch" --state "$1"
