/** Notes of a backup, made from a template (pve-manager, PVE/VZDump.pm). */

const VARIABLES = ['cluster', 'guestname', 'node', 'vmid'] as const;
type Variable = (typeof VARIABLES)[number];

/** What is wrong with it, as Proxmox VE says it. */
export function notesTemplateProblem(template: string): string | undefined {
  if (template.includes('\n')) return 'contains a line feed\n';
  const unknown: string[] = [];
  for (const { 1: letter = '', index } of template.matchAll(/\\(.)/g)) {
    if (letter !== 'n' && letter !== '\\') unknown.push(`escape sequence '\\${letter}' at char ${index}`);
  }
  for (const { 0: whole, 1: name = '', index } of template.matchAll(/\{\{([^\s{}]+)\}\}/g)) {
    // Proxmox counts from the end of the match, two braces too far.
    const place = index + whole.length - name.length;
    if (!VARIABLES.some((variable) => variable === name)) unknown.push(`variable '${name}' at char ${place}`);
  }
  return unknown.length === 0 ? undefined : `found unknown: ${unknown.join(', ')}\n`;
}

export function writeNotes(template: string, values: Readonly<Record<Variable, string>>): string {
  return template
    .replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
    .replace(/\{\{(cluster|guestname|node|vmid)\}\}/g, (_, name: Variable) => values[name]);
}
