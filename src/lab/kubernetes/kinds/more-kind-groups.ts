import { autoscalerRules, autoscalerV1, autoscalerV2 } from './autoscalers.js';
import { certificateRequestRules } from './certificate-requests.js';
import { groupEvent, groupEventRules } from './events.js';
import type { KindGroup } from './kind-row.js';
import { policyBindingRules, policyRules } from './policies.js';
import {
  endpointSliceRules,
  ingressClassRules,
  ingressRules,
  networkPolicyRules,
  plainRules,
  priorityClassRules,
  runtimeClassRules,
} from './simple-kinds.js';

const CREATE = ['create'];
const AUTOSCALER = {
  kind: 'HorizontalPodAutoscaler',
  rules: autoscalerRules,
  short: ['hpa'],
  categories: ['all'],
  status: true,
} as const;

/** The groups that clusters use beside the everyday ones. */
export const MORE_KIND_GROUPS: Readonly<Record<string, KindGroup>> = {
  'events.k8s.io': {
    module: 'events',
    kinds: [{ kind: 'Event', rules: groupEventRules, short: ['ev'], store: 'events', convert: groupEvent }],
  },
  'authentication.k8s.io': {
    module: 'authentication',
    kinds: [
      { kind: 'SelfSubjectReview', rules: plainRules, cluster: true, verbs: CREATE },
      { kind: 'TokenReview', rules: plainRules, cluster: true, verbs: CREATE },
    ],
  },
  'authorization.k8s.io': {
    module: 'authorization',
    kinds: [
      { kind: 'LocalSubjectAccessReview', rules: plainRules, verbs: CREATE },
      { kind: 'SelfSubjectAccessReview', rules: plainRules, cluster: true, verbs: CREATE },
      { kind: 'SelfSubjectRulesReview', rules: plainRules, cluster: true, verbs: CREATE },
      { kind: 'SubjectAccessReview', rules: plainRules, cluster: true, verbs: CREATE },
    ],
  },
  autoscaling: {
    module: 'autoscaling',
    kinds: [
      { ...AUTOSCALER, version: 'v2', module: 'autoscalingv2', convert: autoscalerV2 },
      { ...AUTOSCALER, convert: autoscalerV1, storageVersion: 'v2' },
    ],
  },
  'certificates.k8s.io': {
    module: 'certificates',
    kinds: [
      {
        kind: 'CertificateSigningRequest',
        rules: certificateRequestRules,
        short: ['csr'],
        cluster: true,
        status: true,
        extra: [{ name: 'approval', kind: 'CertificateSigningRequest', verbs: ['get', 'patch', 'update'] }],
      },
    ],
  },
  'node.k8s.io': {
    module: 'node',
    kinds: [{ kind: 'RuntimeClass', rules: runtimeClassRules, cluster: true, plural: 'runtimeclasses' }],
  },
  'networking.k8s.io': {
    module: 'networking',
    kinds: [
      { kind: 'IngressClass', rules: ingressClassRules, cluster: true, plural: 'ingressclasses' },
      { kind: 'Ingress', rules: ingressRules, short: ['ing'], status: true, plural: 'ingresses' },
      { kind: 'NetworkPolicy', rules: networkPolicyRules, short: ['netpol'], plural: 'networkpolicies' },
    ],
  },
  'scheduling.k8s.io': {
    module: 'scheduling',
    kinds: [
      {
        kind: 'PriorityClass',
        rules: priorityClassRules,
        short: ['pc'],
        cluster: true,
        plural: 'priorityclasses',
      },
    ],
  },
  'discovery.k8s.io': {
    module: 'discovery',
    kinds: [{ kind: 'EndpointSlice', rules: endpointSliceRules }],
  },
  'admissionregistration.k8s.io': {
    module: 'admissionregistration',
    kinds: [
      {
        kind: 'MutatingWebhookConfiguration',
        rules: { generation: true, conditionalUpdate: true },
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingAdmissionPolicy',
        rules: policyRules,
        cluster: true,
        status: true,
        plural: 'validatingadmissionpolicies',
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingAdmissionPolicyBinding',
        rules: policyBindingRules,
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingWebhookConfiguration',
        rules: { generation: true, conditionalUpdate: true },
        cluster: true,
        categories: ['api-extensions'],
      },
    ],
  },
};
