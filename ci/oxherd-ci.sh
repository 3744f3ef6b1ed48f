#!/usr/bin/env bash
# The two steps of a pipeline: `plan` writes a plan, its id and a comment; `apply` applies the plan of that id and no other.
#   CONFIG   oxherd.yaml          PLAN     oxherd-plan.json
#   PLAN_ID  the approved id      OXHERD   how oxherd is called
set -euo pipefail

config=${CONFIG:-oxherd.yaml}
plan=${PLAN:-oxherd-plan.json}
read -r -a oxherd <<<"${OXHERD:-npx --yes oxherd}"

id_of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).planId' "$1"; }
output() { if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "$1=$2" >>"$GITHUB_OUTPUT"; fi; }

case "${1:-}" in
  plan)
    status=0
    "${oxherd[@]}" -c "$config" plan --exit-code --out "$plan" --format markdown >"$plan.md" || status=$?
    cat "$plan.md"
    # 2 means that something is to be done; anything else but 0 is a failure.
    if [ "$status" -ne 0 ] && [ "$status" -ne 2 ]; then exit "$status"; fi
    changes=$([ "$status" -eq 2 ] && echo true || echo false)
    output changes "$changes"
    output plan-id "$(id_of "$plan")"
    output comment "$plan.md"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$plan.md" >>"$GITHUB_STEP_SUMMARY"; fi
    ;;
  apply)
    if [ -n "${PLAN_ID:-}" ] && [ "$(id_of "$plan")" != "$PLAN_ID" ]; then
      echo "the plan in $plan is not the one that was approved ($PLAN_ID)" >&2
      exit 1
    fi
    # Plans again, and refuses where the steps are others than those that were shown.
    "${oxherd[@]}" -c "$config" apply "$plan" --yes
    ;;
  *)
    echo "usage: oxherd-ci.sh plan|apply" >&2
    exit 1
    ;;
esac
