import { describe, expect, it } from 'vitest';
import { BadBody, requestFields } from './request-parameters.js';

const form = (body: string, query = '') => ({
  ...requestFields({ method: 'POST', query, contentType: undefined, body }),
});
const json = (body: string) => ({
  ...requestFields({ method: 'PUT', query: '', contentType: 'application/json; charset=utf-8', body }),
});

describe('parameters of a request', () => {
  it('come from a form and from the query', () => {
    expect(form('a=1&b=x%20y+z', 'c=3')).toEqual({ a: '1', b: 'x y z', c: '3' });
  });

  it('with an empty value are an empty text', () => {
    expect(form('a&b=&c=0&d=&d=1')).toEqual({ a: '', b: '', c: '0', d: ['', '1'] });
  });

  it('without a value are there and undefined, where no form is passed on', () => {
    const request = { method: 'GET', query: 'a&b=', contentType: undefined, body: '' };
    expect({ ...requestFields(request) }).toEqual({ a: null, b: '' });
  });

  it('that come twice are a list', () => {
    expect(form('a=1&a=2&a=3')).toEqual({ a: ['1', '2', '3'] });
  });

  it('end at a second equals sign, as in Proxmox', () => {
    expect(form('net0=virtio=02:00')).toEqual({ net0: 'virtio' });
    expect(form('net0=virtio%3D02:00')).toEqual({ net0: 'virtio=02:00' });
  });

  it('keep broken escapes and survive bytes that are no text', () => {
    expect(form('a=100%&b=%zz&c=%ff')).toEqual({ a: '100%', b: '%zz', c: '\ufffd' });
  });

  it('come from JSON, whatever its keys', () => {
    expect(json('{"a":true,"__proto__":{"x":1}}')).toHaveProperty('__proto__');
    expect(() => json('{')).toThrow(BadBody);
    expect(() => json('[]')).toThrow(BadBody);
  });

  it('of a body are not looked at for GET', () => {
    expect({
      ...requestFields({ method: 'GET', query: '_dc=1&a=2', contentType: undefined, body: 'b=1' }),
    }).toEqual({
      a: '2',
    });
  });
});
