/** A Talos volume that is smaller than its disk lets it be. */
export interface GrowingVolume {
  /** `EPHEMERAL`, `u-scratch` */
  readonly id: string;
  /** As oxherd.yaml calls its disk. */
  readonly name: string;
  /** What it had when the plan was made, where the machine said so. */
  readonly from?: number;
  /** What it has at least when it has grown. */
  readonly atLeast: number;
}

/** The volumes that have not grown yet, in words. */
export function stillSmall(
  growing: readonly GrowingVolume[],
  volumes: readonly { readonly id: string; readonly phase: string; readonly size?: number }[],
): string[] {
  return growing.flatMap(({ id, name, from, atLeast }) => {
    const now = volumes.find((volume) => volume.id === id);
    if (now?.phase !== 'ready') return [`${name} is ${now?.phase ?? 'missing'}`];
    const { size = 0 } = now;
    return size >= atLeast && size > (from ?? 0) ? [] : [`${name} has not grown`];
  });
}
