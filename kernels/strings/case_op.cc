#include "kernels/strings/string_ops.h"

namespace dfrun {

OP("StringLower")
    .As(MapsStrings)
    .Attr("encoding: string = ''")
    .Doc("Letters become small ones: of ASCII, or with encoding 'utf-8' of Unicode.");
OP("StringUpper")
    .As(MapsStrings)
    .Attr("encoding: string = ''")
    .Doc("Letters become capitals: of ASCII, or with encoding 'utf-8' of Unicode.");
OP("StringStrip").As(MapsStrings).Doc("Without white space at both ends.");

}  // namespace dfrun
