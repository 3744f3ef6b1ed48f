/** A workflow for GitHub Actions: validate every pull request, plan trusted ones, apply the reviewed plan after the merge. */
import { installLines, type PipelineOptions } from './pinned-oxherd.js';

export const GITHUB_FILE = '.github/workflows/oxherd.yml';

/** Pinned by commit: a tag can be moved. */
const CHECKOUT = 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1';

export function githubWorkflow({ program, config, branch }: PipelineOptions): string {
  const install = `      - name: Install the pinned oxherd
        run: |
${[...installLines(program), 'echo "OXHERD=$OXHERD" >>"$GITHUB_ENV"'].map((line) => `          ${line}`).join('\n')}`;
  return `# Written by \`oxherd export ci github\`.
# Pull requests get no secrets. A maintainer plans a pull request by starting this workflow on ${branch}; after the merge the
# plan of that review runs, and no other. It needs:
#   - an environment "oxherd" that only ${branch} may deploy to
#   - in that environment the secrets OXHERD_PROXMOX_TOKEN and SOPS_AGE_KEY, and the variables OXHERD_PROXMOX_ENDPOINT and
#     OXHERD_PROXMOX_FINGERPRINT; they win over the config
#   - a self-hosted runner that reaches Proxmox and the nodes, with Node
#   - a rule that protects ${branch}: changes only by reviewed pull requests
name: oxherd
on:
  pull_request:
  push:
    branches: [${branch}]
  workflow_dispatch:
    inputs:
      pull-request:
        description: number of the pull request to plan
        required: false
        type: string
      plan-id:
        description: "apply the newest commit of ${branch}: the id of the plan that you reviewed"
        required: false
        type: string
permissions: {}
env:
  CONFIG: ${config}

jobs:
  validate:
    name: Validate
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
${install}
      - name: Validate the config
        run: '"$OXHERD" -c "$CONFIG" validate'

  plan:
    name: Plan
    if: github.event_name == 'workflow_dispatch' && inputs.pull-request != ''
    runs-on: self-hosted
    environment: oxherd
    permissions:
      contents: read
      pull-requests: write
      statuses: write
    env:
      PULL_REQUEST: \${{ inputs.pull-request }}
    steps:
${install}
      - name: Find the newest commit of the pull request
        run: |
          case "$PULL_REQUEST" in '' | *[!0-9]*) echo 'pull-request is not a number' >&2; exit 1 ;; esac
      - name: Read the config as it would be after the merge
        uses: ${CHECKOUT}
        with:
          ref: refs/pull/\${{ inputs.pull-request }}/merge
          fetch-depth: 2
          persist-credentials: false
      # Nothing of the pull request is run: its files are only read.
      - name: Plan, comment and store the id
        env:
          GITHUB_TOKEN: \${{ github.token }}
          OXHERD_PROXMOX_ENDPOINT: \${{ vars.OXHERD_PROXMOX_ENDPOINT }}
          OXHERD_PROXMOX_FINGERPRINT: \${{ vars.OXHERD_PROXMOX_FINGERPRINT }}
          OXHERD_PROXMOX_TOKEN: \${{ secrets.OXHERD_PROXMOX_TOKEN }}
          SOPS_AGE_KEY: \${{ secrets.SOPS_AGE_KEY }}
        run: |
          test -n "$OXHERD_PROXMOX_ENDPOINT" || { echo 'set the variable OXHERD_PROXMOX_ENDPOINT of the environment' >&2; exit 1; }
          status=0
          "$OXHERD" -c "$CONFIG" plan --out "$RUNNER_TEMP/plan.json" --format markdown >"$RUNNER_TEMP/plan.md" || status=$?
          cat "$RUNNER_TEMP/plan.md" | tee -a "$GITHUB_STEP_SUMMARY"
          # 4: something could not be compared; the plan holds the rest.
          case "$status" in 0 | 4) ;; *) exit "$status" ;; esac
          "$OXHERD" review store "$RUNNER_TEMP/plan.json" --reviewed-config "$CONFIG" \\
            --change-request "$PULL_REQUEST" --commit "$(git rev-parse HEAD^2)" --comment "$RUNNER_TEMP/plan.md"
          exit "$status"

  apply:
    name: Apply
    if: github.event_name == 'push' || (github.event_name == 'workflow_dispatch' && inputs.plan-id != '')
    runs-on: self-hosted
    environment: oxherd
    # Two runs never apply at the same time, and none is cancelled halfway.
    concurrency:
      group: oxherd-apply
      cancel-in-progress: false
    permissions:
      contents: read
      pull-requests: read
      statuses: read
    steps:
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
${install}
      - name: Apply the plan that was reviewed
        env:
          GITHUB_TOKEN: \${{ github.token }}
          PLAN_ID: \${{ inputs.plan-id }}
          OXHERD_PROXMOX_ENDPOINT: \${{ vars.OXHERD_PROXMOX_ENDPOINT }}
          OXHERD_PROXMOX_FINGERPRINT: \${{ vars.OXHERD_PROXMOX_FINGERPRINT }}
          OXHERD_PROXMOX_TOKEN: \${{ secrets.OXHERD_PROXMOX_TOKEN }}
          SOPS_AGE_KEY: \${{ secrets.SOPS_AGE_KEY }}
        run: |
          test -n "$OXHERD_PROXMOX_ENDPOINT" || { echo 'set the variable OXHERD_PROXMOX_ENDPOINT of the environment' >&2; exit 1; }
          if [ -z "$PLAN_ID" ]; then
            PLAN_ID=$("$OXHERD" review read --reviewed-config "$CONFIG" --commit "$GITHUB_SHA")
          fi
          "$OXHERD" -c "$CONFIG" apply --yes --plan-id "$PLAN_ID"
`;
}
