#!/usr/bin/env bash
# The two steps of a pipeline: `plan` writes a plan, its id and a comment; `apply` applies the plan of that id and no other.
#   CONFIG   oxherd.yaml          PLAN     oxherd-plan.json
#   PLAN_ID  the approved id
# What runs beside the token and the age key is one of:
#   OXHERD           path of an installed oxherd
#   OXHERD_TARBALL   path or https URL of the package, with OXHERD_SHA256, its sha256
set -euo pipefail

config=${CONFIG:-oxherd.yaml}
plan=${PLAN:-oxherd-plan.json}

fail() {
  printf 'oxherd-ci: %s\n' "$@" >&2
  exit 1
}

# A name would be looked up in a registry or on the PATH: anyone can register it. A path and a hash cannot be replaced.
find_oxherd() {
  if [ -n "${OXHERD_TARBALL:-}" ]; then
    [ -z "${OXHERD:-}" ] || fail "OXHERD and OXHERD_TARBALL are both set; keep one"
    install_tarball "$OXHERD_TARBALL" "${OXHERD_SHA256:-}"
  elif [ -n "${OXHERD:-}" ]; then
    [[ "$OXHERD" == */* && -f "$OXHERD" && -x "$OXHERD" ]] || fail "OXHERD is not the path of an executable file: $OXHERD" \
      "for example OXHERD=/opt/oxherd/node_modules/.bin/oxherd"
    oxherd=$OXHERD
  else
    fail "set what to run: OXHERD or OXHERD_TARBALL" \
      "OXHERD=/opt/oxherd/node_modules/.bin/oxherd" \
      "OXHERD_TARBALL=./oxherd-0.1.0.tgz OXHERD_SHA256=(what sha256sum prints)"
  fi
}

install_tarball() {
  local source=$1 sha256=$2
  [[ "$sha256" =~ ^[0-9a-f]{64}$ ]] || fail "OXHERD_SHA256 is not a sha256 of 64 hexadecimal digits: '$sha256'" \
    "sha256sum of the tarball that you checked prints it"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # Checked and installed is the same copy.
  node -e '
    const { createHash } = require("node:crypto");
    const { readFileSync, writeFileSync } = require("node:fs");
    const [source, sha256, copy] = process.argv.slice(1);
    async function read() {
      if (!/^https?:/.test(source)) return readFileSync(source);
      if (!source.startsWith("https:")) throw new Error("the URL is not https");
      const answer = await fetch(source);
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      return Buffer.from(await answer.arrayBuffer());
    }
    read()
      .then((bytes) => {
        const found = createHash("sha256").update(bytes).digest("hex");
        if (found !== sha256) throw new Error(`its sha256 is ${found}, expected ${sha256}`);
        writeFileSync(copy, bytes);
      })
      .catch((error) => {
        console.error(`oxherd-ci: ${source}: ${error.message}`);
        process.exit(1);
      });
  ' "$source" "$sha256" "$folder/oxherd.tgz"
  # npm and the packages need no secrets.
  env -u OXHERD_PROXMOX_TOKEN -u SOPS_AGE_KEY npm install --prefix "$folder" --omit=dev --omit=optional --ignore-scripts \
    --no-audit --no-fund --loglevel=error "$folder/oxherd.tgz" >&2
  oxherd=$folder/node_modules/.bin/oxherd
}

id_of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).planId' "$1"; }
changes_of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).changes' "$1"; }
output() { if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "$1=$2" >>"$GITHUB_OUTPUT"; fi; }

case "${1:-}" in
  plan)
    find_oxherd
    status=0
    "$oxherd" -c "$config" plan --exit-code --out "$plan" --format markdown >"$plan.md" || status=$?
    cat "$plan.md"
    # 2: something is to be done. 4: something could not be compared; the plan holds the rest. Else but 0: a failure.
    case "$status" in 0 | 2 | 4) ;; *) exit "$status" ;; esac
    output changes "$(changes_of "$plan")"
    output incomplete "$([ "$status" -eq 4 ] && echo true || echo false)"
    output plan-id "$(id_of "$plan")"
    output comment "$plan.md"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$plan.md" >>"$GITHUB_STEP_SUMMARY"; fi
    # A result of its own: neither "No changes" nor a failed plan.
    exit $([ "$status" -eq 4 ] && echo 4 || echo 0)
    ;;
  apply)
    if [ -n "${PLAN_ID:-}" ] && [ "$(id_of "$plan")" != "$PLAN_ID" ]; then
      fail "the plan in $plan is not the one that was approved ($PLAN_ID)"
    fi
    find_oxherd
    # Plans again, and refuses where the steps are others than those that were shown.
    "$oxherd" -c "$config" apply "$plan" --yes
    ;;
  *)
    echo "usage: oxherd-ci.sh plan|apply" >&2
    exit 1
    ;;
esac
