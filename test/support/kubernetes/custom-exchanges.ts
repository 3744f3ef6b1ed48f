/** Requests about custom resources, pod security and policies whose answers were recorded from a real API server. */

export interface CustomExchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

const meta = (name: string, more: object = {}) => ({ name, ...more });
const post = (path: string, body: unknown): CustomExchange => ({ method: 'POST', path, body });
const merge = (path: string, body: unknown): CustomExchange => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/merge-patch+json',
});
const remove = (path: string): CustomExchange => ({ method: 'DELETE', path });

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const PROPERTIES = {
  weight: { type: 'integer', minimum: 1 },
  most: { type: 'integer' },
  share: { type: 'number' },
  name: { type: 'string', maxLength: 8, minLength: 2, pattern: '^[a-z]+$' },
  colours: { type: 'array', maxItems: 3, items: { type: 'string', enum: ['red', 'black'] } },
  labels: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 9 } },
  size: { 'x-kubernetes-int-or-string': true },
  born: { type: 'string', format: 'date-time' },
  rest: { type: 'string', format: 'duration' },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'no-dash': { type: 'string', maxLength: 9 },
  namespace: { type: 'string', maxLength: 9 },
  legs: {
    type: 'array',
    maxItems: 4,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['side'],
    items: {
      type: 'object',
      required: ['side'],
      properties: { side: { type: 'string', maxLength: 9 }, length: { type: 'integer' } },
    },
  },
  tags: {
    type: 'array',
    maxItems: 4,
    'x-kubernetes-list-type': 'set',
    items: { type: 'string', maxLength: 9 },
  },
};

const definition = (
  plural: string,
  rules: readonly object[],
  more: { readonly properties?: object; readonly root?: readonly object[] } = {},
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: meta(`${plural}.herd.example.com`),
  spec: {
    group: 'herd.example.com',
    scope: 'Namespaced',
    names: { plural, singular: plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1)}` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            ...(more.root ? { 'x-kubernetes-validations': more.root } : {}),
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': rules,
                properties: { ...PROPERTIES, ...more.properties },
                required: ['weight'],
              },
            },
          },
        },
      },
    ],
  },
});

const refused = (...rules: readonly object[]) => post(DEFINITIONS, definition('calves', rules));

const RULES: readonly CustomExchange[] = [
  refused({ rule: 'self.weight <' }),
  refused({ rule: '' }),
  refused({ rule: 'self.height > 1' }),
  refused({ rule: 'self.weight' }),
  refused({ rule: "self.weight == 'much'" }),
  refused({ rule: "self.weight + 'much' == 3" }),
  refused({ rule: 'self.name.size() > 1.5 && self.weight' }),
  refused({ rule: 'self.name.startsWith(1)' }),
  refused({ rule: 'self.name.begins("a")' }),
  refused({ rule: 'shout(self.name)' }),
  refused({ rule: 'self.colours.all(c, c > 1)' }),
  refused({ rule: 'self.weight.all(c, c > 1)' }),
  refused({ rule: 'nothing.weight > 1' }),
  refused({ rule: 'self.weight > 1 ? "a" : "b"' }),
  refused({ rule: 'self.weight in self.colours' }),
  refused({ rule: 'self.labels["a"] == 1' }),
  refused({ rule: 'self.weight.foo == 1' }),
  refused({ rule: 'self.free.x == 1' }),
  refused({ rule: 'self.no-dash == "x"' }),
  refused({ rule: "self.name.matches('[')" }),
  refused({ rule: 'self.weight > 1', message: ' ' }),
  refused({ rule: 'self.weight > 1', message: 'a\nb' }),
  refused({ rule: 'self.weight >\n 1' }),
  refused({ rule: 'self.weight > 1', messageExpression: 'self.weight' }),
  refused({ rule: 'self.weight > 1', messageExpression: 'self.height' }),
  refused({ rule: 'self.weight > 1', reason: 'Mood' }),
  refused({ rule: 'self.weight > 1', fieldPath: '.height' }),
  refused({ rule: 'self.weight > 1', fieldPath: 'weight' }),
  refused({ rule: 'self.weight > 1', optionalOldSelf: true }),
  refused({ rule: 'oldSelf.weight > 1', optionalOldSelf: true }),
  refused({ rule: 'self.weight > 1' }, { rule: 'self.a == self.b' }),
  refused({ rule: "[1, 'a'].size() > 1" }),
  refused({ rule: "quantity(self.weight).isGreaterThan(quantity('1'))" }),
  refused({ rule: 'self.?height.orValue(1) == 1' }),
  refused({ rule: "self.?weight.orValue('a') == 1" }),
  post(
    DEFINITIONS,
    definition('calves', [], {
      properties: {
        colours: {
          type: 'array',
          maxItems: 3,
          items: { type: 'string', maxLength: 9, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
        },
      },
    }),
  ),
  post(DEFINITIONS, definition('calves', [], { root: [{ rule: 'self.metadata.labels.size() > 0' }] })),
];

const rule = (text: string, more: object = {}) => ({ rule: text, ...more });
const herd = (plural: string) => `/apis/herd.example.com/v1/namespaces/default/${plural}`;
const cow = (plural: string, name: string, spec: object) =>
  post(herd(plural), {
    apiVersion: 'herd.example.com/v1',
    kind: `${plural[0]?.toUpperCase()}${plural.slice(1)}`,
    metadata: meta(name),
    spec,
  });

const OBJECTS: readonly CustomExchange[] = [
  post(
    DEFINITIONS,
    definition(
      'cows',
      [
        rule('!has(self.most) || self.weight <= self.most', { message: 'weight is at most most' }),
        rule('!has(self.name) || self.name != "no"', {
          messageExpression: "'not ' + self.name",
          fieldPath: '.name',
        }),
        rule('self.weight >= oldSelf.weight', { message: 'a cow only grows', reason: 'FieldValueForbidden' }),
        rule('!has(self.size) || type(self.size) != int || self.size < 5'),
        rule('!has(self.labels) || !("x" in self.labels) || self.labels["x"] == "y"', {
          reason: 'FieldValueRequired',
        }),
        rule('!has(self.share) || self.share <= 1.0', { fieldPath: '.share', reason: 'FieldValueDuplicate' }),
        rule('self.weight != 77 || self.colours[5] == "red"'),
        rule('self.weight != 78 || self.most > 1', { message: 'needs most' }),
        rule('self.weight != 79 || self.weight / 0 > 1'),
        rule('self.weight != 80 || self.size.startsWith("a")'),
        rule('!has(self.born) || self.born > timestamp("2020-01-01T00:00:00Z")'),
        rule('!has(self.rest) || self.rest < duration("1h")'),
        rule('!has(self.__namespace__) || self.__namespace__ == "a"', { fieldPath: '.namespace' }),
        rule('!has(self.no__dash__dash) || self.no__dash__dash == "a"', { fieldPath: "['no-dash']" }),
        rule('!has(self.legs) || self.legs.exists(l, l.side == "left")'),
        rule('!has(self.legs) || self.legs.all(l, l.side != "top")', { message: 'no leg on top' }),
        rule('!has(self.tags) || sets.contains(["a", "b"], self.tags)'),
        rule('self.?most.orValue(1) != 13'),
        rule('!oldSelf.hasValue() || oldSelf.value().weight != 50', {
          optionalOldSelf: true,
          message: 'fifty stays',
        }),
        rule('self.weight != 81 || quantity("1Gi").isGreaterThan(quantity("2Gi"))'),
        rule('self.weight != 82 || url("https://a.b:8/c").getHost() == "x"', {
          messageExpression:
            '"host is %s, weight %d".format([url("https://a.b:8/c").getHost(), self.weight])',
        }),
        rule('self.weight != 83 || self.name.matches("^x") || self.name.find("[a-c]+") == "x"'),
        rule('self.weight != 84 || "a,b".replace(",", "-") == "a,b"', {
          message: 'joined',
          messageExpression: '"a\\nb"',
        }),
        rule('self.weight != 85 || cidr("10.0.0.0/8").containsIP("11.1.1.1")'),
      ],
      {
        root: [rule('self.metadata.name != "nameless"', { message: 'needs a name' })],
        properties: {
          legs: {
            ...PROPERTIES.legs,
            items: {
              ...PROPERTIES.legs.items,
              'x-kubernetes-validations': [
                {
                  rule: '!has(self.length) || !has(oldSelf.length) || self.length >= oldSelf.length',
                  message: 'legs grow',
                },
                { rule: '!has(self.length) || self.length < 100', fieldPath: '.length' },
              ],
            },
          },
        },
      },
    ),
  ),
  cow('cows', 'light', { weight: 0 }),
  cow('cows', 'missing', {}),
  cow('cows', 'kind', { weight: 'much' }),
  cow('cows', 'long', { weight: 1, name: 'much-too-long' }),
  cow('cows', 'short', { weight: 1, name: 'a' }),
  cow('cows', 'loud', { weight: 1, name: 'LOUD' }),
  cow('cows', 'colour', { weight: 1, colours: ['blue', 'red', 'red', 'red'] }),
  cow('cows', 'labels', { weight: 1, labels: { a: '1', b: '2', c: '3', d: '4' } }),
  cow('cows', 'twice', { weight: 1, tags: ['a', 'b', 'a'], legs: [{ side: 'left' }, { side: 'left' }] }),
  cow('cows', 'born', { weight: 1, born: 'yesterday' }),
  cow('cows', 'heavy', { weight: 5, most: 4 }),
  cow('cows', 'no', { weight: 5, name: 'no' }),
  cow('cows', 'both', { weight: 5, most: 4, name: 'no' }),
  cow('cows', 'size', { weight: 5, size: 7 }),
  cow('cows', 'size', { weight: 80, size: 3 }),
  cow('cows', 'x', { weight: 5, labels: { x: 'z' } }),
  cow('cows', 'share', { weight: 5, share: 1.5 }),
  cow('cows', 'fault', { weight: 77, colours: ['red'] }),
  cow('cows', 'fault', { weight: 78 }),
  cow('cows', 'fault', { weight: 79 }),
  cow('cows', 'old', { weight: 5, born: '2001-01-01T00:00:00Z' }),
  cow('cows', 'rest', { weight: 5, rest: '90m' }),
  cow('cows', 'names', { weight: 5, namespace: 'b', 'no-dash': 'b' }),
  cow('cows', 'legs', { weight: 5, legs: [{ side: 'right' }, { side: 'back' }] }),
  cow('cows', 'legs', { weight: 5, legs: [{ side: 'left', length: 100 }] }),
  cow('cows', 'tags', { weight: 5, tags: ['a', 'c'] }),
  cow('cows', 'most', { weight: 5, most: 13 }),
  cow('cows', 'quantity', { weight: 81 }),
  cow('cows', 'url', { weight: 82 }),
  cow('cows', 'find', { weight: 83, name: 'abc' }),
  cow('cows', 'join', { weight: 84 }),
  cow('cows', 'cidr', { weight: 85 }),
  cow('cows', 'nameless', { weight: 5 }),
  cow('cows', 'good', { weight: 5, most: 90, name: 'good', legs: [{ side: 'left', length: 5 }] }),
  merge(`${herd('cows')}/good`, { spec: { weight: 4 } }),
  merge(`${herd('cows')}/good`, { spec: { weight: 100 } }),
  merge(`${herd('cows')}/good`, { spec: { legs: [{ side: 'left', length: 4 }] } }),
  merge(`${herd('cows')}/good`, { spec: { weight: 50 } }),
  merge(`${herd('cows')}/good`, { spec: { weight: 51 } }),
  remove(`${herd('cows')}/good`),
];

const pod = (name: string, spec: object = {}, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(name),
  spec: { containers: [{ name: 'c', image: 'x', ...container }], ...spec },
});
const secure = (securityContext: object) => ({ securityContext });
const pods = '/api/v1/namespaces/pen/pods';
const pen = '/api/v1/namespaces/pen';
const labels = (more: Record<string, string | null>) =>
  merge(pen, {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(more).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value]),
      ),
    },
  });
const STRICT = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const STRICT_CONTAINER = secure({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
const strict = (name: string, spec: object = {}, container: object = {}) =>
  post(pods, pod(name, { securityContext: STRICT, ...spec }, { ...STRICT_CONTAINER, ...container }));
const deployment = (name: string, spec: object, container: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: meta(name),
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: pod('', spec, container).spec },
  },
});

const SECURITY: readonly CustomExchange[] = [
  post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: meta('pen') }),
  post(`${pen}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta('default') }),
  post(pods, pod('before', { hostNetwork: true }, secure({ privileged: true }))),
  labels({ enforce: 'odd' }),
  labels({ 'enforce-version': 'v1.x' }),
  labels({ enforce: 'baseline' }),
  post(pods, pod('host', { hostNetwork: true, hostPID: true, hostIPC: true })),
  post(pods, pod('privileged', {}, secure({ privileged: true }))),
  post(
    pods,
    pod('path', {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', hostPath: { path: '/' } },
      ],
    }),
  ),
  post(
    pods,
    pod(
      'port',
      {},
      {
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 81 },
        ],
      },
    ),
  ),
  post(pods, pod('caps', {}, secure({ capabilities: { add: ['NET_ADMIN', 'CHOWN', 'SYS_TIME'] } }))),
  post(pods, pod('seccomp', { securityContext: { seccompProfile: { type: 'Unconfined' } } })),
  post(pods, pod('seccomp', {}, secure({ seccompProfile: { type: 'Unconfined' } }))),
  post(pods, pod('sysctl', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } })),
  post(
    pods,
    pod('sysctl-good', {
      securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '1' }] },
    }),
  ),
  post(pods, pod('selinux', { securityContext: { seLinuxOptions: { type: 'odd', user: 'me' } } })),
  post(pods, pod('mount', { hostUsers: false }, secure({ procMount: 'Unmasked' }))),
  post(pods, pod('apparmor', { securityContext: { appArmorProfile: { type: 'Unconfined' } } })),
  post(pods, pod('probe', {}, { livenessProbe: { httpGet: { host: '1.2.3.4', path: '/', port: 80 } } })),
  post(
    pods,
    pod(
      'many',
      { hostNetwork: true, initContainers: [{ name: 'i', image: 'x', ...secure({ privileged: true }) }] },
      secure({ privileged: true }),
    ),
  ),
  post(pods, pod('plain')),
  labels({ warn: 'restricted', audit: 'restricted' }),
  post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: meta('pasture', {
      labels: {
        'pod-security.kubernetes.io/enforce': 'baseline',
        'pod-security.kubernetes.io/warn': 'restricted',
      },
    }),
  }),
  post(pods, pod('warned')),
  post('/apis/apps/v1/namespaces/pasture/deployments', deployment('host', { hostNetwork: true })),
  post(
    '/apis/apps/v1/namespaces/pasture/deployments',
    deployment('strict', { securityContext: STRICT }, STRICT_CONTAINER),
  ),
  post('/apis/batch/v1/namespaces/pasture/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: meta('job'),
    spec: { template: { spec: { ...pod('', { restartPolicy: 'Never' }).spec } } },
  }),
  post('/apis/batch/v1/namespaces/pasture/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: meta('cron'),
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...pod('', { restartPolicy: 'Never' }).spec } } } },
    },
  }),
  merge('/apis/apps/v1/namespaces/pasture/deployments/strict', {
    spec: { template: { spec: { hostPID: true } } },
  }),
  labels({ enforce: 'restricted', 'enforce-version': 'v1.24', warn: null }),
  post(pods, pod('plainer')),
  strict('strict'),
  strict('root', { securityContext: { ...STRICT, runAsUser: 0 } }),
  strict('rooted', {}, secure({ ...STRICT_CONTAINER.securityContext, runAsNonRoot: false, runAsUser: 0 })),
  strict('volume', {
    volumes: [
      { name: 'v', nfs: { server: 's', path: '/' } },
      { name: 'w', emptyDir: {} },
    ],
  }),
  strict(
    'add',
    {},
    secure({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] },
    }),
  ),
  strict('no-drop', {}, secure({ allowPrivilegeEscalation: true, capabilities: { drop: ['CHOWN'] } })),
  strict(
    'unconfined',
    {},
    secure({ ...STRICT_CONTAINER.securityContext, seccompProfile: { type: 'Unconfined' } }),
  ),
  post(pods, pod('windows', { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } })),
  merge(`${pods}/plain`, { spec: { activeDeadlineSeconds: 100 } }),
  merge(`${pods}/plain`, { metadata: { labels: { a: 'b' } } }),
  labels({ enforce: 'privileged', 'enforce-version': null }),
  post(pods, pod('free', { hostNetwork: true })),
  labels({ enforce: 'restricted' }),
  post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: meta('fold', {
      labels: {
        'pod-security.kubernetes.io/enforce': 'baseline',
        'pod-security.kubernetes.io/enforce-version': 'v1.99',
      },
    }),
  }),
];

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const MAPS = '/api/v1/namespaces/default/configmaps';
const policy = (name: string, validations: readonly object[], more: object = {}) =>
  post(POLICIES, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: meta(name),
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
          },
        ],
      },
      validations,
      ...more,
    },
  });
const binding = (name: string, more: object = {}) =>
  post(BINDINGS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: meta(name),
    spec: { policyName: name, validationActions: ['Deny'], ...more },
  });
const map = (name: string, data: object, more: object = {}) =>
  post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta(name, more), data });

/** Policies are noticed a moment after they were written: what they judge is asked in a list of its own. */
const POLICY_FORMS: readonly CustomExchange[] = [
  policy('broken', [{ expression: 'object.data.a ==' }]),
  policy('broken', [{ expression: 'object.size()' }]),
  policy('broken', [{ expression: "'a'" }]),
  policy('broken', [{ expression: 'thing.a == 1' }]),
  policy('broken', [{ expression: 'true', messageExpression: '1' }]),
  policy('broken', [{ expression: '' }]),
  policy('broken', []),
  policy('broken', [{ expression: 'true', reason: 'Mood' }]),
  policy('broken', [{ expression: 'true' }], { failurePolicy: 'Perhaps' }),
  policy('broken', [{ expression: 'true' }], { matchConditions: [{ name: 'a', expression: '1' }] }),
  policy('broken', [{ expression: 'true' }], { variables: [{ name: 'a', expression: 'b' }] }),
  policy('broken', [{ expression: 'true' }], { matchConstraints: { resourceRules: [] } }),
  binding('missing', { validationActions: [] }),
  binding('missing', { validationActions: ['Deny', 'Warn'] }),
  binding('missing', { validationActions: ['Shout'] }),
  binding('missing', { policyName: '' }),
  policy(
    'ruled',
    [
      { expression: "!has(object.data) || !('bad' in object.data)", message: 'bad is not allowed' },
      {
        expression: "object == null || object.metadata.name != 'long' ",
        messageExpression: "'name ' + object.metadata.name",
        reason: 'Invalid',
      },
      {
        expression:
          'oldObject == null || object == null || !has(oldObject.data) || object.data == oldObject.data',
      },
      {
        expression: "variables.who != 'admin' || object == null || object.metadata.name != 'who'",
        message: 'not by admin',
        reason: 'RequestEntityTooLarge',
      },
      { expression: "object == null || object.metadata.name != 'fault' || object.data.none == 'x'" },
      { expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'", message: 'kept' },
    ],
    {
      variables: [{ name: 'who', expression: 'request.userInfo.username' }],
      matchConditions: [{ name: 'mine', expression: "request.namespace == 'default'" }],
    },
  ),
  binding('ruled'),
  policy('warned', [
    { expression: "object == null || object.metadata.name != 'warned'", message: 'mind this' },
  ]),
  binding('warned', { validationActions: ['Warn', 'Audit'] }),
  policy('selected', [{ expression: 'false', message: 'never' }], {
    matchConstraints: {
      objectSelector: { matchLabels: { guarded: 'yes' } },
      resourceRules: [
        { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['configmaps', 'secrets'] },
      ],
      excludeResourceRules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] },
      ],
    },
  }),
  binding('selected', {
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
  }),
];

const POLICY_CHECKS: readonly CustomExchange[] = [
  map('fine', { a: '1' }),
  map('bad', { bad: '1' }),
  map('long', {}),
  map('who', {}),
  map('fault', { a: '1' }),
  map('kept', {}),
  map('warned', {}),
  map('guarded', {}, { labels: { guarded: 'yes' } }),
  merge(`${MAPS}/fine`, { data: { a: '2' } }),
  merge(`${MAPS}/fine`, { metadata: { labels: { a: 'b' } } }),
  merge(`${MAPS}/fine`, { metadata: { labels: { guarded: 'yes' } } }),
  remove(`${MAPS}/kept`),
  remove(`${MAPS}/fine`),
  post('/api/v1/namespaces/kube-system/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: meta('bad'),
    data: { bad: '1' },
  }),
];

/** By subject; in this order on one API. The real server notices definitions and policies a moment later. */
export const CUSTOM_EXCHANGES: Readonly<Record<string, readonly CustomExchange[]>> = {
  rules: RULES,
  objects: OBJECTS,
  'pod security': SECURITY,
  'policy forms': POLICY_FORMS,
  'policy checks': POLICY_CHECKS,
};
