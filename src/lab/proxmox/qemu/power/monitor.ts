/** The monitor of QEMU as far as the API checks a request before QEMU hears of it (qemu-server, PVE/API2/Qemu/HMPPerms.pm). */
import { type Call, type Handlers, PveError } from '../../api.js';
import { nodeOf, rootOnly, vmidOf } from '../../http/request.js';
import { loadVm } from '../vms.js';

const words = (text: string) => new Set(text.split(' '));

const FOR_ALL = words('help ? info');
const FOR_ADMINS = words(
  'gpa2hpa gpa2hva i announce_self backup_cancel balloon block_job_cancel block_job_complete block_job_pause ' +
    'block_job_resume block_job_set_speed block_resize block_set_io_throttle boot_set calc_dirty_rate ' +
    'cancel_vcpu_dirty_limit chardev-send-break closefd commit cont c cpu delvm eject exit_preconfig expire_password ' +
    'getfd gva2gpa loadvm log migrate_cancel migrate_continue migrate_pause migrate_set_capability ' +
    'migrate_set_parameter migrate_start_postcopy mouse_button mouse_move mouse_set one-insn-per-tb print p qemu-io ' +
    'qom-get qom-list quit q replay_break replay_delete_break replay_seek ringbuf_read ringbuf_write savevm sendkey ' +
    'set_link set_password set_vcpu_dirty_limit snapshot_blkdev_internal snapshot_delete_blkdev_internal stopcapture ' +
    'stop s sum sync-profile system_powerdown system_reset system_wakeup trace-event x x_colo_lost_heartbeat xp',
);
const FOR_ROOT = words(
  'backup block_stream change chardev-add chardev-change chardev-remove client_migrate_info device_add device_del ' +
    'drive_add drive_backup drive_del drive_mirror dump-guest-memory dumpdtb gdbserver hostfwd_add hostfwd_remove ' +
    'logfile mce memsave migrate migrate_incoming migrate_recover nbd_server_add nbd_server_remove nbd_server_start ' +
    'nbd_server_stop netdev_add netdev_del nmi o object_add object_del pcie_aer_inject_error pmemsave qom-set ' +
    'savevm-end savevm-start screendump snapshot_blkdev watchdog_action wavcapture xen-event-inject xen-event-list',
);

/** Keys by the names of QEMU, and by their codes. */
const KEY =
  /^(0x[0-9a-f]{1,2}|[a-z0-9]|f([1-9]|1[0-9]|2[0-4])|kp_\w+|(shift|alt|ctrl|meta)(_[lr])?|altgr(_r)?|esc|minus|equal|backspace|tab|bracket_(left|right)|ret|semicolon|apostrophe|grave_accent|backslash|comma|dot|slash|asterisk|spc|caps_lock|num_lock|scroll_lock|sysrq|less|print|home|pgup|pgdn|end|left|up|down|right|insert|delete|pause|menu|help|stop|again|props|undo|front|copy|open|paste|find|cut|power|sleep|wake|lf|compose|ro|muhenkan|henkan|yen)$/;

export const monitorHandlers: Handlers = {
  'PUT /nodes/{node}/qemu/{vmid}/sendkey': (call) => {
    rootOnly(call, 'skiplock');
    const { vmid, running } = loadVm(call.pve, nodeOf(call), vmidOf(call));
    if (!running) throw new PveError(500, `VM ${vmid} not running`);
    const unknown = (call.text('key') ?? '').split('-').find((key) => !KEY.test(key));
    if (unknown !== undefined) throw new PveError(500, `unknown key: '${unknown}'\r`);
    return null;
  },
  'POST /nodes/{node}/qemu/{vmid}/monitor': (call) => {
    requireCommand(call, call.text('command') ?? '');
    const { vmid, running, config } = loadVm(call.pve, nodeOf(call), vmidOf(call));
    if (!running) return `ERROR: VM ${vmid} not running\n`;
    const said: Readonly<Record<string, string>> = {
      'info status': `VM status: ${running.paused ? 'paused' : 'running'}\r\n`,
      'info name': `${config.name ?? `VM ${vmid}`}\r\n`,
    };
    return said[(call.text('command') ?? '').trim()] ?? '';
  },
};

function requireCommand(call: Call, command: string): void {
  if (command === '' || command === '0') throw new PveError(500, 'no command specified');
  const name = /^\s*(\S+)/.exec(command)?.[1];
  if (name === undefined) throw new PveError(500, `unexpected command '${command}'`);
  if (FOR_ALL.has(name)) return;
  if (FOR_ADMINS.has(name)) call.require('/', ['Sys.Modify']);
  else if (call.who.isRoot) return;
  else if (FOR_ROOT.has(name)) throw new PveError(500, `root-only command '${name}'`);
  else {
    throw new PveError(
      500,
      `command '${name}' non-existent or not assigned a required permission yet, limiting to root user`,
    );
  }
}
