/** Any text as text of XML. */
export function escapeXml(value: string): string {
  return (
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
  );
}
