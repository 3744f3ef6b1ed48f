// Reporter of `npm run test:full`: writes down each test file that passed, so that a run that was cut off is resumed.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class RememberFiles {
  onTestModuleEnd(module) {
    if (!module.ok()) return;
    appendFileSync(
      process.env.OXHERD_TEST_FILES,
      `${module.project.name} ${relative(process.cwd(), module.moduleId)}\n`,
    );
  }
}
