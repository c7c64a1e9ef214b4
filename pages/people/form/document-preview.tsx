import { sizeText, useTexts } from '../language/language.ts';
import { useObjectUrl } from '../ui/use-object-url.ts';

/** Pictures that every browser can show. */
const DRAWN = /^image\/(?:jpeg|png|webp)$/;

/** The preview of a document: the picture itself, or the type of any other file. */
export function DocumentPreview({ file }: { file: File }) {
  const { form } = useTexts();
  return (
    <>
      {DRAWN.test(file.type) ? (
        <Thumbnail file={file} />
      ) : (
        <span className="file-kind" aria-hidden="true">
          {kindOf(file) ?? form.file}
        </span>
      )}
      <span className="file-name">{file.name}</span>
      <span className="file-size">{sizeText(file.size)}</span>
    </>
  );
}

function Thumbnail({ file }: { file: File }) {
  const url = useObjectUrl(file);
  return url && <img src={url} alt="" className="thumbnail" />;
}

const kindOf = ({ name }: File): string | undefined => /\.(\w{1,4})$/.exec(name)?.[1]?.toUpperCase();
