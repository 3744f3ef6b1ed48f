import { attackTests } from '../../support/attacks/attack-tests.js';

attackTests('states');
