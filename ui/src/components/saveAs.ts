import { api, call, chosenWorkspace, fetchRaw } from '@/api/client';

/** Gives a file to the person, under a name. */
export function saveAs(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  follow(address, name);
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Gives a file to the person that the server does not name. */
export async function saveFrom(path: string, name: string): Promise<void> {
  // A link cannot say which workspace is meant; the cookie says the one of the sign-in.
  if (chosenWorkspace()) saveAs(await (await fetchRaw(path)).blob(), name);
  else await saveLink(path, name);
}

/** Leaves a file of any size to the browser, which writes it as it comes. */
export async function saveLink(path: string, name: string): Promise<void> {
  // The browser says nothing of why a download failed: who is signed out or offline hears of it here.
  await call(api.GET('/api/v1/me'));
  follow(path, name);
}

function follow(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
