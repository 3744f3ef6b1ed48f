/** What a rehearsal foretells is what happens: memory, processors, disks and volumes. */
import { foretells } from '../../support/foretells.js';
import { edited } from '../../support/situations.js';

foretells([
  edited('all: memory'),
  edited('worker: cores'),
  edited('work-2: CPU type'),
  edited('worker: larger EPHEMERAL'),
  edited('worker: disk options'),
  edited('volume scratch: grown'),
  edited('volume cache: added'),
  edited('volume scratch: removed'),
  edited('volume scratch: another storage'),
  edited('cp-1: storage'),
  edited('policy: two workers at a time', 'worker: cores'),
]);
