/** Plans, approvals and maintenance of hosts. */
import { AGE, column, type Definition } from './definition.js';
import {
  CONDITIONS,
  duration,
  flag,
  IMMUTABLE,
  list,
  objectName,
  oneOf,
  record,
  reference,
  text,
  time,
  whole,
} from './schema.js';

const PLAN_ID = '^[0-9a-f]{64}$';

export const plan: Definition = {
  kind: 'OxherdPlan',
  scope: 'Namespaced',
  shortNames: ['oxp'],
  description:
    'What would be done to a cluster. It is never executed: the controller plans again and compares ids.',
  spec: record(
    'A plan, cannot be changed.',
    {
      clusterRef: reference('The cluster; or the maintenance that it is part of.'),
      planId: text('sha256 over everything that decides what it does; approvals name it.', {
        pattern: PLAN_ID,
      }),
      desired: text('Digest of the desired state.', { maxLength: 128 }),
      request: text('What it was made for: converge, destroy, drain-host pve1, …', { maxLength: 512 }),
      impact: text('The worst of its steps.', { maxLength: 32 }),
      stepCount: whole('How many steps.'),
      part: whole('Which part this object holds; the first has all other fields.', { minimum: 1 }),
      parts: whole('How many parts.', { minimum: 1 }),
      steps: text('Steps as JSON, compressed with gzip, in base64.', { maxLength: 1048576 }),
    },
    {
      required: ['clusterRef', 'planId', 'impact', 'stepCount', 'part', 'parts', 'steps'],
      rules: [IMMUTABLE],
    },
  ),
  status: record('What became of it.', {
    phase: oneOf('Where it is.', [
      'Pending',
      'Approved',
      'Applying',
      'Applied',
      'Failed',
      'Interrupted',
      'Superseded',
    ]),
    message: text('Why.', { maxLength: 32768 }),
    summary: list('Its steps in words, the first 50.', text('One step.', { maxLength: 1024 }), 51),
    downtimeSeconds: whole('Worst estimate of all nodes together.'),
    approvedBy: text('Who approved it.', { maxLength: 1024 }),
    finishedAt: time('When its run ended.'),
  }),
  columns: [
    column('Cluster', '.spec.clusterRef.name'),
    column('For', '.spec.request', 1),
    column('Impact', '.spec.impact'),
    { name: 'Steps', type: 'integer', jsonPath: '.spec.stepCount' },
    column('Phase', '.status.phase'),
    column('Approved by', '.status.approvedBy', 1),
    AGE,
  ],
};

export const approval: Definition = {
  kind: 'OxherdApproval',
  scope: 'Namespaced',
  shortNames: ['oxa'],
  description: 'One person’s yes to one plan. Its own kind, so that RBAC separates approving from editing.',
  spec: record(
    'Cannot be changed: delete it and create another.',
    {
      clusterRef: reference('The cluster, or the HostMaintenance, whose plan it is.'),
      planId: text('The plan, by its whole id.', { pattern: PLAN_ID }),
      approvedBy: text('Your own user name: the ValidatingAdmissionPolicy compares it with the request.', {
        minLength: 1,
        maxLength: 1024,
      }),
      expires: time('No run starts on it after this.'),
    },
    { required: ['clusterRef', 'planId', 'approvedBy', 'expires'], rules: [IMMUTABLE] },
  ),
  status: record('Whether it was used.', {
    phase: oneOf('What became of it.', ['Used', 'Expired', 'Stale']),
    message: text('Why.', { maxLength: 32768 }),
  }),
  columns: [
    column('Cluster', '.spec.clusterRef.name'),
    column('Plan', '.spec.planId'),
    column('By', '.spec.approvedBy'),
    column('Expires', '.spec.expires'),
    column('Phase', '.status.phase'),
    AGE,
  ],
};

export const maintenance: Definition = {
  kind: 'HostMaintenance',
  scope: 'Cluster',
  shortNames: ['oxm'],
  description:
    'Drains one Proxmox host for all clusters of the fleet, and brings everything back when it is deleted.',
  spec: record(
    'Which host, and for how long.',
    {
      siteRef: reference('The ProxmoxSite.'),
      host: text('The Proxmox host.', { minLength: 1, maxLength: 63 }),
      duration: duration(
        'How long the host will be down: short ones leave VMs with local disks where they are.',
        '2h',
      ),
      acceptPodsDown: flag('Drain although some pods have nowhere to go.', false),
    },
    {
      required: ['siteRef', 'host'],
      rules: [
        {
          rule: 'self.host == oldSelf.host && self.siteRef == oldSelf.siteRef',
          message: 'host and siteRef cannot be changed',
        },
      ],
    },
  ),
  status: record('How far it is.', {
    conditions: CONDITIONS,
    observedGeneration: whole('Last generation seen.'),
    phase: oneOf('Where it is.', [
      'Pending',
      'AwaitingApproval',
      'Draining',
      'Drained',
      'Returning',
      'Failed',
    ]),
    message: text('What stopped it.', { maxLength: 32768 }),
    planId: text('Over the plans of all clusters: approve this one.', { maxLength: 64 }),
    clusters: list(
      'Clusters with nodes on the host.',
      record('One of them.', {
        namespace: objectName('Its namespace.'),
        name: objectName('Its name.'),
        planId: text('Its part.', { maxLength: 64 }),
        done: { type: 'boolean', description: 'Its nodes are off the host.' },
      }),
      1000,
    ),
  }),
  columns: [
    column('Site', '.spec.siteRef.name'),
    column('Host', '.spec.host'),
    column('Phase', '.status.phase'),
    column('Plan', '.status.planId'),
    AGE,
  ],
};
