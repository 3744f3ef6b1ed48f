/** Commands that say what is missing, what was done, and who holds the lock. */
import type { LoadableCommand } from '../command-spec.js';
import { YES } from './shared-options.js';

export const UPKEEP_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'doctor',
    summary: 'check connection, token, rights, storages, bridges, space',
    examples: [{ command: 'oxherd doctor', does: 'prints what is missing and the command that mends it' }],
    load: () => import('../commands/doctor.js'),
  },
  {
    name: 'runs',
    summary: 'what earlier runs did',
    examples: [{ command: 'oxherd runs list', does: 'every run with its outcome, newest first' }],
    children: [
      {
        name: 'list',
        summary: 'every run: when, what, outcome, how long',
        examples: [{ command: 'oxherd runs list --json', does: 'as JSON' }],
        load: () => import('../commands/runs-list.js'),
      },
      {
        name: 'show',
        summary: 'the steps of a run, and how long each node was away',
        args: [{ name: '[id]', description: 'as `runs list` shows it; the last run otherwise' }],
        examples: [{ command: 'oxherd runs show', does: 'the last run' }],
        load: () => import('../commands/runs-show.js'),
      },
    ],
  },
  {
    name: 'unlock',
    summary: 'take the cluster lock from a run that is dead or must stop',
    options: [YES],
    examples: [{ command: 'oxherd unlock', does: 'shows the holder and asks' }],
    load: () => import('../commands/unlock.js'),
  },
];
