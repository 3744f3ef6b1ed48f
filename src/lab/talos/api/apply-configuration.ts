import { Code, type HandlerContext } from '@connectrpc/connect';
import { createTwoFilesPatch } from 'diff';
import {
  type ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
} from '../../../clients/talos/gen/machine/machine_pb.js';
import { parseVersion, type Version } from '../../../model/version.js';
import { needsReboot } from '../machine/reboot-rules.js';
import { TIMING } from '../timing.js';
import { ConfigError } from '../validate/config-error.js';
import { loadConfig } from '../validate/load.js';
import { validateAtRuntime } from '../validate/validate.js';
import { viewDisks } from '../volumes/disks.js';
import { type Endpoint, fail, notAuthorized, rolesKey } from './caller.js';
import { ADMIN } from './rules.js';

/** In the order of the real handler: load, v1alpha1 present, mode REBOOT, validation, dry run, effect. */
export function applyConfiguration(
  { machine, lifecycle }: Endpoint,
  request: ApplyConfigurationRequest,
  context: HandlerContext,
) {
  const maintenance = !machine.configured;
  if (!maintenance && !context.values.get(rolesKey).has(ADMIN)) notAuthorized();
  const text = new TextDecoder().decode(request.data);
  const warnings = judge(text, maintenance);

  let { mode } = request;
  let details: string;
  const reboots = !maintenance && rebootsForConfig() && needsReboot(machine.config ?? '', text);
  if (mode === Mode.REBOOT) mode = Mode.NO_REBOOT;
  if (mode === Mode.AUTO) mode = reboots ? Mode.REBOOT : Mode.NO_REBOOT;
  else if (reboots && (mode === Mode.NO_REBOOT || mode === Mode.TRY)) {
    fail(Code.InvalidArgument, "this config change can't be applied in immediate mode");
  }
  if (mode === Mode.STAGED) details = 'Staged configuration to be applied after the next reboot';
  else if (mode === Mode.REBOOT) details = 'Applied configuration with a reboot';
  else if (mode === Mode.NO_REBOOT || mode === Mode.TRY) details = 'Applied configuration without a reboot';
  else return fail(Code.InvalidArgument, `incorrect mode '${mode}' specified for the apply config call`);

  if (request.dryRun) {
    const modeDetails = `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n${configDiff(machine.config ?? '', text)}`;
    return { messages: [{ mode, modeDetails }] };
  }
  if (mode !== Mode.TRY) lifecycle.keepConfig(machine);
  if (maintenance) {
    lifecycle.configure(machine, text);
  } else if (mode === Mode.STAGED) {
    machine.persistConfig(text);
  } else if (mode === Mode.TRY) {
    const delay = request.tryModeTimeout ? Number(request.tryModeTimeout.seconds) * 1000 : TIMING.tryMode;
    details += `\nThe config is applied in 'try' mode and will be automatically reverted back in ${goDuration(delay)}`;
    lifecycle.revertLater(machine, delay);
    lifecycle.reconfigure(machine, text);
  } else {
    machine.persistConfig(text);
    if (mode === Mode.REBOOT) lifecycle.stop(machine, 'rebooting', 'boot');
    else lifecycle.reconfigure(machine, text);
  }
  return { messages: [{ mode, warnings, modeDetails: details }] };

  /** Up to 1.13 AUTO looks at the v1alpha1 document and reboots for some of its fields; 1.14 never does. */
  function rebootsForConfig(): boolean {
    const version = runningVersion();
    return version !== undefined && version.major === 1 && version.minor < 14;
  }

  function runningVersion(): Version | undefined {
    return parseVersion(machine.record.system?.version ?? '');
  }

  function judge(config: string, inMaintenance: boolean): string[] {
    try {
      const loaded = loadConfig(config, runningVersion());
      if (!inMaintenance && !loaded.documents.some((document) => document.kind === 'v1alpha1')) {
        fail(
          Code.InvalidArgument,
          "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
        );
      }
      if (request.mode === Mode.REBOOT && !inMaintenance) {
        fail(
          Code.Unimplemented,
          'the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead',
        );
      }
      return validateAtRuntime(loaded, viewDisks(machine.hardware)).warnings;
    } catch (error) {
      if (error instanceof ConfigError) return fail(Code.InvalidArgument, error.message);
      throw error;
    }
  }
}

function configDiff(before: string, after: string): string {
  if (before === after) return 'No changes.';
  return createTwoFilesPatch('a', 'b', before, after, '', '', { context: 3 });
}

/** `1m0s`, as Go prints durations of whole seconds. */
function goDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
