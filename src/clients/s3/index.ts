export { connectS3, type S3Client, type S3Options } from './client.js';
export { S3Error } from './errors.js';
