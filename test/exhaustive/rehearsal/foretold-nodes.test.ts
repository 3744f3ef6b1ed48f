/** What a rehearsal foretells is what happens: nodes that come, go, move, and get other names and addresses. */
import { foretells } from '../../support/foretells.js';
import { edited } from '../../support/situations.js';

foretells([
  edited('add work-3'),
  edited('add cp-4 and cp-5'),
  edited('remove work-2'),
  edited('remove cp-3'),
  edited('rename work-2 to anvil'),
  edited('work-2: second NIC'),
  edited('work-1: host pve3'),
  edited('work-1: another ip'),
  edited('cp-2: another ip'),
  edited('work-1: mac'),
]);
