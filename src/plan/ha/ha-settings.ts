/** Settings of HA resources and rules: what differs, and what goes back to its default. */
type Settings = Readonly<Record<string, string>>;

/** Proxmox does not store what is so by itself. */
const DEFAULTS: Settings = {
  state: 'started',
  failback: '1',
  strict: '0',
  disable: '0',
  max_restart: '1',
  max_relocate: '1',
};

/** Set outside oxherd, and not what oxherd.yaml asks for: deleted, they have their defaults again. */
export function excess(wanted: Settings, now: Settings): string[] {
  return ['strict', 'disable', 'max_restart', 'max_relocate'].filter(
    (key) => wanted[key] === undefined && now[key] !== undefined && now[key] !== DEFAULTS[key],
  );
}

export function differing(wanted: Settings, now: Settings): string[] {
  return [
    ...Object.entries(wanted)
      .filter(([key, value]) => (now[key] ?? DEFAULTS[key] ?? '') !== value)
      .map(([key, value]) => `${key} ${now[key] ?? DEFAULTS[key] ?? '(none)'} → ${value}`),
    ...excess(wanted, now).map((key) => `${key} ${now[key]} → ${DEFAULTS[key]}`),
  ];
}
