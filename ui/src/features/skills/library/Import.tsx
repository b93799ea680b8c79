/** Takes bundles in: dropped anywhere on the library, or chosen; then says what became of each. */
import { Button, Menu, Modal, Overlay, Stack, Text } from '@mantine/core';
import { IconFileZip, IconFolder, IconPackageImport } from '@tabler/icons-react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { failed } from '@/components/feedback';
import { type Dropped, type DroppedFile, readDrop, sortDropped } from './dropped';
import { ImportResults } from './ImportResults';
import { type Imported, importAll, type OnConflict } from './imports';
import classes from './library.module.css';

export function useImport() {
  const [outcome, setOutcome] = useState<Imported[] | null>(null);
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const [busy, setBusy] = useState(false);
  const archives = useRef<HTMLInputElement>(null);
  const folders = useRef<HTMLInputElement>(null);

  const bringIn = useCallback(async (sorted: Dropped, onConflict: OnConflict) => {
    setBusy(true);
    try {
      setOutcome(await importAll(sorted, onConflict));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  }, []);

  const take = useCallback(
    (files: DroppedFile[]) => {
      const sorted = sortDropped(files);
      if (sorted.archives.length + sorted.bundles.length === 0) {
        if (files.length > 0) failed(new Error('there is no SKILL.md and no zip among these files'));
        return;
      }
      setDropped(sorted);
      void bringIn(sorted, 'error');
    },
    [bringIn],
  );

  return {
    busy,
    take,
    archives,
    folders,
    outcome,
    left: dropped?.left ?? [],
    again: () => dropped && void bringIn(dropped, 'new_revision'),
    close: () => setOutcome(null),
  };
}

export type Import = ReturnType<typeof useImport>;

export function ImportButton({ importing }: { importing: Import }) {
  const { busy, take, archives, folders } = importing;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button leftSection={<IconPackageImport size={16} />} disabled={busy}>
            {busy ? 'Importing…' : 'Import'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFileZip size={16} />} onClick={() => archives.current?.click()}>
            Zip files
          </Menu.Item>
          <Menu.Item leftSection={<IconFolder size={16} />} onClick={() => folders.current?.click()}>
            A folder
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FileInput inside={archives} label="Zip files to import" accept=".zip,.skill,.md" take={take} />
      <FileInput inside={folders} label="A folder to import" folder take={take} />
    </>
  );
}

type InputProps = {
  inside: RefObject<HTMLInputElement | null>;
  label: string;
  accept?: string;
  folder?: boolean;
  take: (files: DroppedFile[]) => void;
};

function FileInput({ inside, label, accept, folder, take }: InputProps) {
  return (
    <input
      ref={inside}
      type="file"
      hidden
      multiple
      aria-label={label}
      accept={accept}
      {...(folder && { webkitdirectory: '' })}
      onChange={(event) => {
        const files = [...(event.currentTarget.files ?? [])];
        take(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
        event.currentTarget.value = '';
      }}
    />
  );
}

/** Shows, while files are dragged over the window, that they can be let go here. */
export function DropZone({ importing }: { importing: Import }) {
  const [over, setOver] = useState(false);
  const { take } = importing;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Leaving one thing for another is no leaving; leaving the window is.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      readDrop(event.dataTransfer).then(take, failed);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [take]);
  if (!over) return null;
  return (
    <Overlay fixed backgroundOpacity={0.6} zIndex={300} className={classes.drop}>
      <Stack align="center" gap={4} className={classes.dropBox}>
        <IconPackageImport size={40} stroke={1.5} />
        <Text fw={600} fz="lg">
          Let go to import
        </Text>
        <Text size="sm" c="dimmed">
          Zip files, or folders with a SKILL.md
        </Text>
      </Stack>
    </Overlay>
  );
}

export function ImportDialog({ importing }: { importing: Import }) {
  const { outcome, left, again, close, busy } = importing;
  return (
    <Modal opened={outcome !== null} onClose={close} title="Import" size="lg">
      {outcome && <ImportResults outcome={outcome} left={left} again={again} close={close} busy={busy} />}
    </Modal>
  );
}
