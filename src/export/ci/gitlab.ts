/** A pipeline for GitLab: validate every merge request, plan trusted ones, apply the reviewed plan after the merge. */
import { installLines, type PipelineOptions } from './pinned-oxherd.js';

export const GITLAB_FILE = 'oxherd.gitlab-ci.yml';

export function gitlabPipeline({ program, config, branch }: PipelineOptions): string {
  const install = installLines(program)
    .map((line) => `      ${line}`)
    .join('\n');
  return `# Written by \`oxherd export ci gitlab\`. Include this file in .gitlab-ci.yml.
# Merge requests get no secrets. A maintainer plans a merge request with "New pipeline" on ${branch} and the variable
# MERGE_REQUEST; after the merge the plan of that review runs, and no other. It needs:
#   - ${branch} as the only protected branch, on which only maintainers run pipelines
#   - protected variables OXHERD_PROXMOX_ENDPOINT, OXHERD_PROXMOX_FINGERPRINT, OXHERD_PROXMOX_TOKEN and SOPS_AGE_KEY; they win
#     over the config
#   - OXHERD_GITLAB_TOKEN, protected: an access token of the project with the scope "api", for statuses and notes
#   - a protected runner that reaches Proxmox and the nodes, with Node
.oxherd:
  variables:
    CONFIG: ${config}
  before_script:
    - |
${install}

oxherd validate:
  extends: .oxherd
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - '"$OXHERD" -c "$CONFIG" validate'

oxherd plan:
  extends: .oxherd
  rules:
    - if: $CI_PIPELINE_SOURCE == "web" && $CI_COMMIT_BRANCH == "${branch}" && $MERGE_REQUEST
  environment:
    name: oxherd
    action: verify
  script:
    - |
      case "$MERGE_REQUEST" in '' | *[!0-9]*) echo 'MERGE_REQUEST is not a number' >&2; exit 1 ;; esac
      test -n "$OXHERD_PROXMOX_ENDPOINT" || { echo 'set the protected variable OXHERD_PROXMOX_ENDPOINT' >&2; exit 1; }
      git fetch --quiet origin "+refs/merge-requests/$MERGE_REQUEST/head:oxherd-head" "+refs/merge-requests/$MERGE_REQUEST/merge:oxherd-merge"
      # Nothing of the merge request is run: its files are only read.
      git checkout --quiet --detach oxherd-merge
      work=$(mktemp -d)
      status=0
      "$OXHERD" -c "$CONFIG" plan --out "$work/plan.json" --format markdown >"$work/plan.md" || status=$?
      cat "$work/plan.md"
      # 4: something could not be compared; the plan holds the rest.
      case "$status" in 0 | 4) ;; *) exit "$status" ;; esac
      "$OXHERD" review store "$work/plan.json" --reviewed-config "$CONFIG" --change-request "$MERGE_REQUEST" --commit "$(git rev-parse oxherd-head)" --comment "$work/plan.md"
      exit "$status"
  allow_failure:
    exit_codes: [4]

oxherd apply:
  extends: .oxherd
  rules:
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == "${branch}"
    - if: $CI_PIPELINE_SOURCE == "web" && $CI_COMMIT_BRANCH == "${branch}" && $PLAN_ID
  environment:
    name: oxherd
  resource_group: oxherd
  interruptible: false
  script:
    - |
      test -n "$OXHERD_PROXMOX_ENDPOINT" || { echo 'set the protected variable OXHERD_PROXMOX_ENDPOINT' >&2; exit 1; }
      if [ -z "\${PLAN_ID:-}" ]; then
        PLAN_ID=$("$OXHERD" review read --reviewed-config "$CONFIG" --commit "$CI_COMMIT_SHA")
      fi
      "$OXHERD" -c "$CONFIG" apply --yes --plan-id "$PLAN_ID"
`;
}
