/** Where files are dropped, or chosen by a click. Loaded when first shown. */
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Dropped } from './dropped';
import { readDropped } from './dropped';

type Props = {
  label: string;
  disabled?: boolean;
  accept?: string[];
  multiple?: boolean;
  onFiles: (files: Dropped[]) => void;
  children: ReactNode;
};

export default function DropArea({ label, disabled, accept, multiple = true, onFiles, children }: Props) {
  return (
    <Dropzone
      onDrop={(files) => void readDropped(files).then(onFiles)}
      disabled={disabled}
      accept={accept}
      multiple={multiple}
      p="sm"
      inputProps={{ 'aria-label': label }}
      useFsAccessApi={false}
    >
      <Text size="sm" c="dimmed" ta="center" component="div" style={{ pointerEvents: 'none' }}>
        {children}
      </Text>
    </Dropzone>
  );
}
