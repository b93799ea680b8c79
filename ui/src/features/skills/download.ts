/** Hands bytes to the browser as a file. Fetched, not linked: a link would not say which workspace is meant. */
import { fetchRaw } from '@/api/client';
import { failed } from '@/components/feedback';

export function saveAs(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the address by the next turn at the latest.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function downloadFrom(path: string, name: string): Promise<void> {
  try {
    saveAs(name, await (await fetchRaw(path)).blob());
  } catch (error) {
    failed(error);
  }
}

export function bundleAddress(id: string, revision?: number): string {
  return `/api/v1/skills/${id}/bundle${revision === undefined ? '' : `?revision=${revision}`}`;
}

export function fileAddress(id: string, path: string, revision: number): string {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  return `/api/v1/skills/${id}/files/${parts}?revision=${revision}`;
}
