export * from './factory-client.js';
