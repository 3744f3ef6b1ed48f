/** Schema of OxherdCluster. */
import { CONDITIONS, duration, flag, list, oneOf, record, reference, text, time, whole } from './schema.js';

const source = record(
  'Where oxherd.yaml is.',
  {
    configMap: reference('Config map of the file tree: keys are file names, __ stands for / in them.', {
      path: text('The config in it.', { default: 'oxherd.yaml', maxLength: 253 }),
    }),
    inline: text('oxherd.yaml itself.', { maxLength: 262144 }),
  },
  {
    rules: [
      {
        rule: 'has(self.configMap) != has(self.inline)',
        message: 'give exactly one of configMap and inline',
      },
    ],
  },
);

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const TIME_OF_DAY = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

const window = record(
  'A time in which nodes may be taken away.',
  {
    days: list('Days on which it opens; every day without them.', oneOf('A day.', DAYS), 7),
    start: text('HH:MM by the clocks of timeZone.', { pattern: TIME_OF_DAY }),
    end: text('HH:MM; at or before start: on the next day.', { pattern: TIME_OF_DAY }),
    timeZone: text('IANA name, e.g. Europe/Berlin.', { default: 'UTC', maxLength: 64 }),
  },
  { required: ['start', 'end'] },
);

const backup = record(
  'Snapshots of etcd at these times of the day, to a bucket.',
  {
    to: text('s3://bucket/prefix; NAMESPACE/NAME/etcd-TIME.snapshot is added.', {
      pattern: '^s3://[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](/.*)?$',
      maxLength: 512,
    }),
    endpoint: text('https://host:port of the store, where it is not that of AWS.', {
      pattern: '^https?://[^/]+$',
    }),
    region: text('Its region.', { maxLength: 64 }),
    credentialsRef: reference('Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'),
    at: {
      ...list('HH:MM by the clocks of timeZone.', text('A time.', { pattern: TIME_OF_DAY }), 24),
      default: ['02:00'],
    },
    days: list('Days on which they are taken; every day without them.', oneOf('A day.', DAYS), 7),
    timeZone: text('IANA name, e.g. Europe/Berlin.', { default: 'UTC', maxLength: 64 }),
    keep: whole('How many stay.', { minimum: 1, maximum: 1000, default: 14 }),
  },
  { required: ['to', 'credentialsRef'] },
);

const policy = record(
  'What may be applied without a person, and when.',
  {
    auto: oneOf(
      'The worst impact that needs no approval; replace always needs one.',
      ['none', 'live', 'component', 'restart'],
      'none',
    ),
    windows: list('Disruptive steps start in these alone; at any time without them.', window, 32),
    freezeUntil: time('Nothing is applied before.'),
  },
  { default: {} },
);

export const clusterSpec = record(
  'What should be, and when it may be changed.',
  {
    source,
    siteRef: reference('The ProxmoxSite; its endpoints and token replace those of oxherd.yaml.'),
    secretsRef: reference('Secret with secrets.yaml or secrets.sops.yaml; without it one is created.'),
    ageKeyRef: reference('Secret with the age key of SOPS files.', {
      key: text('Its key.', { default: 'age.agekey' }),
    }),
    envSecretRef: reference('Secret whose keys are what oxherd.yaml names with env:NAME.'),
    interval: duration('How often everything is observed; at least 10 s.', '10m'),
    suspend: flag('Neither plan nor apply.', false),
    policy,
    backup,
    deletionPolicy: oneOf(
      'When this object is deleted. Destroy needs an approval; data volumes always stay.',
      ['Orphan', 'Destroy'],
      'Orphan',
    ),
  },
  { required: ['source', 'siteRef'] },
);

const runStatus = record('The run that is in progress, or was last interrupted.', {
  planId: text('Its plan.', { maxLength: 64 }),
  desired: text('The desired state it works towards.', { maxLength: 128 }),
  holder: text('The replica.', { maxLength: 253 }),
  epoch: whole('Of the lease.'),
  startedAt: time('Start of the run.'),
  approvedBy: text('Who approved it.', { maxLength: 1024 }),
  step: text('The last step that was started.', { maxLength: 1024 }),
  done: whole('Steps that are done.'),
  of: whole('All steps.'),
});

export const clusterStatus = record('What is.', {
  observedGeneration: whole('Last generation seen.'),
  conditions: CONDITIONS,
  plan: record('The plan for what is there now; absent: nothing to do.', {
    planId: text('Its id.', { maxLength: 64 }),
    shortId: text('The first characters of it.', { maxLength: 12 }),
    name: text('Its OxherdPlan.', { maxLength: 253 }),
    impact: text('The worst of its steps.', { maxLength: 32 }),
    steps: whole('How many.'),
  }),
  run: runStatus,
  lastRun: record('How the last run ended.', {
    planId: text('Its plan.', { maxLength: 64 }),
    outcome: text('done, failed or interrupted.', { maxLength: 32 }),
    message: text('What stopped it.', { maxLength: 32768 }),
    generation: whole('Of the object when it ran.'),
    finishedAt: time('When.'),
  }),
  claim: text('The Lease that says which OxherdCluster the cluster belongs to.', { maxLength: 253 }),
  kubernetes: text('Version that oxherd.yaml asks for.', { maxLength: 32 }),
  talos: text('Version that oxherd.yaml asks for.', { maxLength: 32 }),
  nodes: whole('How many nodes oxherd.yaml has.'),
  hosts: list('Proxmox hosts of its nodes.', text('A host.', { maxLength: 63 }), 64),
  backup: record('The last scheduled snapshot of etcd.', {
    lastTime: time('When it was taken.'),
    url: text('Where it is.', { maxLength: 2048 }),
    size: whole('Bytes.', { format: 'int64' }),
    sha256: text('Of the file.', { maxLength: 64 }),
    node: text('The control plane that gave it.', { maxLength: 253 }),
    failedAt: time('When one last failed; absent once one was taken.'),
  }),
  tag: text('Tag of its VMs.', { maxLength: 128 }),
  changedAt: time('When its VMs or hosts were last seen to change between two observations.'),
  nextWindow: text('Next time that disruptive steps may start.', { maxLength: 64 }),
  lastObserved: time('When everything was last read.'),
});
