import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = process.env.REPERTOIRE_URL ?? 'http://127.0.0.1:7400';
const doors = ['/api', '/code', '/files', '/docs', '/sign-in?link'];

/** Writes each text file a second time, compressed, so that the server need not do it for every request. */
function compressed(): Plugin {
  const walk = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      const dist = fileURLToPath(new URL('dist', import.meta.url));
      for (const path of walk(dist)) {
        if (/\.(js|css|svg|json|webmanifest)$/.test(path)) {
          writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What most pages share comes in few files; what only editors, charts and Markdown need stays with them.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            {
              name: 'mantine',
              test: /node_modules\/(@mantine\/(core|hooks|modals|notifications|spotlight|store|form)|@floating-ui|clsx)\//,
            },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', proxy: Object.fromEntries(doors.map((door) => [door, { target: server }])) },
});
