#!/usr/bin/env node
console.log('oxherd');
