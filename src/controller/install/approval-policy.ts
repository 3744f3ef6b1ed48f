/** An approval carries the name of whoever creates it: the API server compares, and no webhook is asked. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { GROUP, MANAGED_BY, VERSION } from '../api/group.js';

const NAME = 'oxherd-approvals';
const API = 'admissionregistration.k8s.io/v1';

export function approvalPolicy(): KubernetesObject[] {
  const metadata = { name: `${NAME}.${GROUP}`, labels: MANAGED_BY };
  return [
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      ...{
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: [GROUP],
                apiVersions: [VERSION],
                operations: ['CREATE', 'UPDATE'],
                resources: ['oxherdapprovals'],
              },
            ],
          },
          validations: [
            {
              expression:
                'request.operation != "CREATE" || object.spec.approvedBy == request.userInfo.username',
              messageExpression: '"spec.approvedBy must be your own user name: " + request.userInfo.username',
              reason: 'Forbidden',
            },
            {
              expression: 'request.operation != "UPDATE" || object.spec == oldObject.spec',
              message: 'an approval cannot be changed: delete it and create another',
              reason: 'Invalid',
            },
          ],
        },
      },
    },
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      ...{ spec: { policyName: `${NAME}.${GROUP}`, validationActions: ['Deny'] } },
    },
  ];
}
