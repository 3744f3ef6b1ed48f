/** YAML of files that hold secrets: what is wrong with one is said by its place, never by what stands there. */
import { FEW_TOKENS, readYamlDocuments, type YamlOptions, YamlTextError } from '../formats/text/yaml-text.js';

/** `refusal` gets `line 3, column 5`. */
export function readSecretYaml(
  text: string,
  refusal: (place: string) => Error,
  options: YamlOptions = {},
): unknown {
  const [first = null, ...more] = readSecretDocuments(text, refusal, options);
  if (more.length > 0) throw refusal('its second document');
  return first;
}

export function readSecretDocuments(
  text: string,
  refusal: (place: string) => Error,
  options: YamlOptions = {},
): unknown[] {
  try {
    return readYamlDocuments(text, { maxTokens: FEW_TOKENS, ...options });
  } catch (error) {
    // The parser's own error is not even the cause: it quotes the text.
    if (error instanceof YamlTextError) throw refusal(`line ${error.line}, column ${error.column}`);
    throw error;
  }
}
