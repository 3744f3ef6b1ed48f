import fc from 'fast-check';
import { expect, it, describe as suite } from 'vitest';
import { nodesOf, rolledSteps } from '../../../test/support/plan/rolled-plan.js';
import { describe, fillIn, NodeText } from './node-text.js';

const steps = rolledSteps(nodesOf(0, 1), []);
const [setOptions] = steps;

function template(text: string): string {
  return new NodeText('work-1', steps).template(text, setOptions);
}

suite('the text of a step without its node', () => {
  it('takes out what names the node', () => {
    expect(template('set memory of VM 151 (work-1)')).toBe('set memory of VM {vm0} ({node0})');
    expect(template('volume local:vm-151-disk-0 on pve2')).toBe('volume local:vm-{vm0}-disk-0 on {host0}');
    expect(template('disk naa.3a001c89dbc70756')).toBe('disk {disk0}');
  });

  it('leaves what only looks like it', () => {
    for (const text of ['memory 151 → 200', 'VM 1510 is other', 'work-12 and work-1.lan', 'pve2 is full'])
      expect(template(text)).toBe(text);
  });

  it('gives the text of the node back, whatever it says', () => {
    const word = fc.constantFrom(
      'VM 151',
      'work-1',
      'on pve2',
      '{',
      '{vm0}',
      '}',
      'naa.3a001c89dbc70756',
      ' ',
      '(',
      ')',
      'vm-151-',
      '$&',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 12 }), (words) => {
        const text = new NodeText('work-1', steps);
        expect(fillIn(text.template(words.join(''), setOptions), text.values)).toBe(words.join(''));
      }),
    );
  });

  it('reads as one sentence for all nodes', () => {
    const values = [
      { node0: 'a', vm0: '1', vm1: '10', host0: 'pve1' },
      { node0: 'b', vm0: '2', vm1: '20', host0: 'pve2' },
    ];
    expect(describe('create VM {vm0} ({node0}) on {host0}', values, 'each')).toBe(
      'create each VM on its host',
    );
    expect(describe('data VM {vm1} ({node0}-data) has it', values, 'the')).toBe('the data VM has it');
    expect(describe('wait until {node0} is Ready', values, 'each')).toBe('wait until each node is Ready');
    expect(describe('path /{node0}/x and vm-{vm0}-disk', values, 'the')).toBe(
      'path /<node>/x and vm-<VM id>-disk',
    );
  });

  it('names the host where it is the same for all', () => {
    const values = [{ host0: 'pve1' }, { host0: 'pve1' }];
    expect(describe('on {host0}', values, 'each')).toBe('on pve1');
  });
});
