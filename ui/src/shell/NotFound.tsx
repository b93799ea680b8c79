import { IconMapOff } from '@tabler/icons-react';
import { NotHere } from '@/components/NotHere';

export function NotFound() {
  return (
    <NotHere page="Nothing here" icon={IconMapOff} title="There is no page at this address">
      It may have been moved, or the link was cut off.
    </NotHere>
  );
}
