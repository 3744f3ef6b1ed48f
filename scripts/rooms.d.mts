export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface MeasuredFile {
  readonly name: string;
  readonly room: string;
  readonly lines: number;
  readonly functions: readonly MeasuredFunction[];
}

export function measure(): MeasuredFile[];
