/**
 * A pure function of a text that remembers its last answers: reading a machine config takes longer than all else that
 * a look at a machine does, and it is mostly the config of the look before. Answers are shared: no one may change them.
 */
export function memoize<T>(work: (text: string) => T, limit = 64): (text: string) => T {
  const answers = new Map<string, T>();
  return (text) => {
    const known = answers.get(text);
    const answer = known ?? work(text);
    // The one that was asked for last is forgotten last.
    const [oldest] = answers.keys();
    if (known !== undefined) answers.delete(text);
    else if (answers.size >= limit && oldest !== undefined) answers.delete(oldest);
    answers.set(text, answer);
    return answer;
  };
}

/** Made when it is first asked for, once; what fails is tried again. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
