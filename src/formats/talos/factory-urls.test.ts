import { expect, it } from 'vitest';
import { imageFilename, imageUrl, installerImage } from './factory-urls.js';

const asset = {
  factory: 'https://factory.talos.dev/',
  schematicId: 'ce4c98',
  version: 'v1.14.1',
  platform: 'nocloud',
  arch: 'amd64',
};

it('names what the factory serves', () => {
  expect(imageUrl(asset, 'qcow2')).toBe('https://factory.talos.dev/image/ce4c98/v1.14.1/nocloud-amd64.qcow2');
  expect(imageUrl(asset, 'iso')).toBe('https://factory.talos.dev/image/ce4c98/v1.14.1/nocloud-amd64.iso');
  expect(installerImage(asset)).toBe('factory.talos.dev/nocloud-installer/ce4c98:v1.14.1');
});

it('names the file after everything that makes it different', () => {
  expect(imageFilename(asset, 'iso')).toBe('talos-ce4c98-v1.14.1-nocloud-amd64.iso');
});

it('keeps a port of the factory in the image reference', () => {
  expect(installerImage({ ...asset, factory: 'http://factory.lan:8080' })).toBe(
    'factory.lan:8080/nocloud-installer/ce4c98:v1.14.1',
  );
});
