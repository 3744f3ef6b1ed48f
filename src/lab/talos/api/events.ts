import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import {
  type EventsRequest,
  MachineStatusEvent_MachineStage,
  MachineStatusEventSchema,
  SequenceEvent_Action,
  SequenceEventSchema,
  ServiceStateEvent_Action,
  ServiceStateEventSchema,
} from '../../../clients/talos/gen/machine/machine_pb.js';
import type { Machine } from '../machine/machine.js';
import type { MachineEvent } from '../machine/machine-events.js';
import { type MachineStatus, machineStatus } from '../machine/machine-status.js';
import { fail } from './caller.js';
import { machineChanges } from './changes.js';

/** The server says first that it listens, with an event that holds nothing; then what was asked for, then what happens. */
export async function* machineEvents(machine: Machine, request: EventsRequest, signal: AbortSignal) {
  const { events, room } = machine;
  yield {};
  noteStatus(machine);
  const wanted = (event: MachineEvent) => request.withActorId === '' || event.actorId === request.withActorId;
  const { tailEvents, tailId, tailSeconds } = request;
  if (tailId !== '' && !/^[0-9a-v]{20}$/.test(tailId)) {
    fail(Code.Unknown, 'error parsing tail_id: xid: invalid ID');
  }
  const earlier =
    tailId !== ''
      ? events.after(tailId)
      : tailSeconds > 0
        ? events.since(room.core.clock.now() - tailSeconds * 1000)
        : // How it stands now is told in any case.
          events.newest(tailEvents === 0 ? 1 : tailEvents);
  let last = events.last;
  for (const event of earlier) if (wanted(event)) yield toMessage(event);
  for await (const _ of machineChanges(machine, signal, { first: true })) {
    noteStatus(machine);
    for (const event of events.after(last)) if (wanted(event)) yield toMessage(event);
    last = events.last;
  }
}

/** Stage and readiness follow from everything else: told when someone listens and they have changed. */
function noteStatus(machine: Machine): void {
  const status = JSON.stringify(machineStatus(machine));
  if (machine.events.status === status) return;
  machine.events.add(machine.room.core.clock.now(), { kind: 'status', status });
}

function toMessage(event: MachineEvent) {
  return { id: event.id, actorId: event.actorId, data: dataOf(event) };
}

function dataOf(event: MachineEvent): Any {
  if (event.kind === 'sequence') {
    const action = event.action === 'start' ? SequenceEvent_Action.START : SequenceEvent_Action.STOP;
    return pack(SequenceEventSchema, { sequence: event.sequence, action });
  }
  if (event.kind === 'service') {
    const { service, message, healthy } = event;
    const action = enumValue(ServiceStateEvent_Action, event.state) ?? ServiceStateEvent_Action.INITIALIZED;
    return pack(ServiceStateEventSchema, {
      service,
      action,
      message,
      health: { unknown: false, healthy, lastMessage: healthy ? '' : message },
    });
  }
  const { stage, status } = JSON.parse(event.status) as MachineStatus;
  return pack(MachineStatusEventSchema, {
    stage:
      enumValue(MachineStatusEvent_MachineStage, stage.replaceAll(' ', '_')) ??
      MachineStatusEvent_MachineStage.UNKNOWN,
    status: {
      ready: status.ready,
      unmetConditions: status.unmetConditions.map((condition) => ({ ...condition })),
    },
  });
}

/** Talos has a prefix of its own for the types of its events. */
function pack<T extends DescMessage>(schema: T, body: MessageInitShape<T>): Any {
  return create(AnySchema, {
    typeUrl: `talos/runtime/${schema.typeName}`,
    value: toBinary(schema, create(schema, body)),
  });
}

function enumValue(enumeration: object, name: string): number | undefined {
  const value = Object.entries(enumeration).find(([key]) => key === name.toUpperCase())?.[1];
  return typeof value === 'number' ? value : undefined;
}
