/** Sends a machine its config; parts of it that the machine repeats are redacted. */
import { create } from '@bufbuild/protobuf';
import { DurationSchema } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { redactedConfigTexts } from '../../formats/redact/redact-talos.js';
import { redactText } from '../../formats/redact/redact-text.js';
import type { Calls } from './calls.js';
import { isTalosError, makeTalosError } from './errors.js';
import { ApplyConfigurationRequest_Mode, type MachineService } from './gen/machine/machine_pb.js';

type ApplyMode = 'auto' | 'no-reboot' | 'staged' | 'try';

export interface ApplyOutcome {
  readonly warnings: readonly string[];
  /** What the machine made of the mode: `auto` answers with what it chose. */
  readonly mode: ApplyMode | 'reboot';
  readonly details: string;
}

export interface ApplyOptions {
  readonly mode: ApplyMode;
  readonly dryRun?: boolean;
  /** Seconds after which a config that is tried goes back; a minute where nothing is said. */
  readonly tryFor?: number;
}

const MODES: Record<ApplyMode, ApplyConfigurationRequest_Mode> = {
  auto: ApplyConfigurationRequest_Mode.AUTO,
  'no-reboot': ApplyConfigurationRequest_Mode.NO_REBOOT,
  staged: ApplyConfigurationRequest_Mode.STAGED,
  try: ApplyConfigurationRequest_Mode.TRY,
};

export async function applyConfiguration(
  calls: Calls,
  machine: () => Client<typeof MachineService>,
  config: string,
  { mode, dryRun = false, tryFor }: ApplyOptions,
): Promise<ApplyOutcome> {
  const request = {
    data: Buffer.from(config, 'utf8'),
    mode: MODES[mode],
    dryRun,
    ...(tryFor !== undefined && { tryModeTimeout: create(DurationSchema, { seconds: BigInt(tryFor) }) }),
  };
  const answer = await withoutConfig(config, async () =>
    calls.once((o) => machine().applyConfiguration(request, o)),
  );
  const message = answer.messages[0];
  // A machine repeats parts of what it was sent: in warnings, and in the diff of a dry run.
  const hidden = redactedConfigTexts(config);
  return {
    warnings: (message?.warnings ?? []).map((warning) => redactText(warning, hidden)),
    mode: modeName(message?.mode ?? MODES[mode]),
    details: redactText(message?.modeDetails ?? '', hidden),
  };
}

function modeName(mode: ApplyConfigurationRequest_Mode): ApplyMode | 'reboot' {
  for (const [name, value] of Object.entries(MODES)) {
    if (value === mode) return name as ApplyMode;
  }
  return 'reboot';
}

/** A machine that refuses a config repeats parts of it. */
async function withoutConfig<T>(config: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTalosError(error)) throw error;
    const reason = redactText(error.reason, redactedConfigTexts(config));
    throw reason === error.reason ? error : makeTalosError(error.code, reason, error.where ?? '');
  }
}
