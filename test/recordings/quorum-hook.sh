#!/bin/sh
# The replay calls it as: quorum-hook.sh STATE quorum lost|regained
case "$3" in
  lost) switch=on ;;
  regained) switch=off ;;
  *) exit 2 ;;
esac
exec node --import tsx src/cli/main.ts lab fault no-quorum "$switch" --state "$1"
