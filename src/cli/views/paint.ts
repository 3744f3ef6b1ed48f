import pc from 'picocolors';

export type Paint = ReturnType<typeof pc.createColors>;

export function paint(color: boolean): Paint {
  return pc.createColors(color);
}
