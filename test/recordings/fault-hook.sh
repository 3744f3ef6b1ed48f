#!/bin/sh
# The replay calls it as: fault-hook.sh PORT WORD...
port=$1
shift
path=$(IFS=/; echo "$*")
exec node -e 'require("node:http").get(process.argv[1], ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))' "http://127.0.0.1:$port/$path"
