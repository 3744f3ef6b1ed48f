/** Kubernetes events on the fleet's objects, and the same as log lines. */
import { randomBytes } from 'node:crypto';
import { EVENTS } from '../../clients/kubernetes/index.js';
import { redactText } from '../../formats/redact/redact-text.js';
import { OxherdError } from '../../model/error.js';
import type { FleetObject } from '../api/group.js';
import type { ControllerContext } from '../controller-context.js';

const COMPONENT = 'oxherd-controller';

type EventReason =
  | 'ApprovalStale'
  | 'BackupDone'
  | 'BackupFailed'
  | 'CertificateEnds'
  | 'Deleted'
  | 'LockHeld'
  | 'PlanChanged'
  | 'PlanCreated'
  | 'RunDone'
  | 'RunFailed'
  | 'RunInterrupted'
  | 'RunStarted'
  | 'SecretsCreated';

/** An event that cannot be written stops nothing. */
export async function recordEvent(
  { client, time, identity, log, namespace: own }: ControllerContext,
  object: FleetObject,
  type: 'Normal' | 'Warning',
  reason: EventReason,
  message: string,
): Promise<void> {
  const { name, namespace = own, uid, resourceVersion } = object.metadata;
  const at = new Date(time.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  log.info(message, { reason, kind: object.kind, namespace, name });
  const event = {
    apiVersion: 'v1' as const,
    kind: 'Event' as const,
    metadata: { name: `${name.slice(0, 200)}.${randomBytes(6).toString('hex')}`, namespace },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(object.metadata.namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    type,
    reason,
    message: redactText(message).slice(0, 1024),
    source: { component: COMPONENT, host: identity },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    reportingComponent: COMPONENT,
    reportingInstance: identity,
  };
  try {
    await client.create(EVENTS, event, namespace);
  } catch (error) {
    log.error('an event could not be written', { reason, error: OxherdError.from(error).message });
  }
}
