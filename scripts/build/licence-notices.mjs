// Licence texts of the packages that are inside the bundle: those who get the bundle get these with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `folders`: of the packages. Packages with one text share it. */
export function licenceNotices(folders) {
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name: `${name} ${version}`, license: licenceName(license), text: licenceText(folder) };
  });
  const texts = new Map();
  for (const each of packages) {
    const key = each.text ?? each.license;
    texts.set(key, [...(texts.get(key) ?? []), each]);
  }
  const blocks = [...texts.values()].map((same) => {
    const [{ license, text }] = same;
    const names = [...new Set(same.map(({ name }) => name))].sort();
    return `${names.join('\n')}\nLicence: ${license}\n\n${text ?? 'The package holds no text of its licence.'}`;
  });
  return [
    'The files of this folder contain code of the packages below, each under its own licence.',
    ...blocks.sort(),
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

const licenceName = (license) => (typeof license === 'string' ? license : (license?.type ?? 'see its text'));

function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)/i.test(name));
  return file && readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
}
