/** Questions to begin with on the test bench. */
import type { BenchSearch } from './search';

const json = (value: unknown) => JSON.stringify(value, null, 2);

export const examples: { label: string; ask: BenchSearch }[] = [
  {
    label: 'Remove a folder',
    ask: { task: 'Tidy up the build folder', tool: 'Bash', arguments: json({ command: 'rm -rf build' }) },
  },
  {
    label: 'Read a secret',
    ask: {
      task: 'Find out why sign-in fails',
      context: json({ cwd: '/srv/shop', project_dir: '/srv/shop' }),
      tool: 'Read',
      arguments: json({ file_path: '/srv/shop/.env' }),
    },
  },
  {
    label: 'Deploy to production',
    ask: {
      task: 'Deploy the release to production',
      context: json({ environment: 'production' }),
      tool: 'Bash',
      arguments: json({ command: 'make deploy' }),
    },
  },
  {
    label: 'Fetch a page',
    ask: {
      task: 'Look up the changelog',
      tool: 'WebFetch',
      arguments: json({ url: 'https://crates.io/crates/serde' }),
    },
  },
];
