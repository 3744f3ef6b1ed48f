/** Numbers and times as people of the browser's place write them, with units. */
const GIB = 1024 ** 3;

export function gib(bytes: number | undefined): string {
  if (bytes === undefined) return '?';
  const value = bytes / GIB;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} GiB`;
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function dateTime(value: string | number): string {
  return TIME.format(new Date(value));
}

export function clockTime(value: number): string {
  return CLOCK.format(new Date(value));
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
